"""Measure one program on both runtimes."""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch

from benchmarks.latency.catalog import Model
from benchmarks.latency.native import Library
from benchmarks.latency.rounds import Sample, cheapest, sample
from benchmarks.latency.sides.ours import run
from benchmarks.latency.sides.side import Loaded, Setting
from benchmarks.xnnpack_programs.memory import growth
from benchmarks.xnnpack_programs.roster import Lowered
from executorch_runtime import Program

_LOADS = 5


@dataclass(frozen=True)
class Figures:
    """Measurements of one runtime.

    Costs are cycles, or nanoseconds of processor time, of the thread.
    """

    cost: int  # of the cheapest run
    median: float
    load: int  # of the cheapest load
    grown: int  # resident bytes in addition to the file, after loading and one run


@dataclass(frozen=True)
class Comparison:
    """Measurements of one program."""

    name: str
    ours: Figures
    official: Figures
    stated: int  # bytes that our method reports
    difference: float  # the largest difference of the outputs
    largest: float  # the largest official output
    load_average: float

    @property
    def ratio(self) -> float:
        return self.ours.cost / self.official.cost


@dataclass(frozen=True)
class _Ready:
    loaded: Loaded
    load: int
    grown: int


def _load_ours(model: Model, path: Path) -> Loaded:
    method = Program(path).method()
    return Loaded(
        lambda: run(method, model.inputs),
        lambda: list(method.outputs(as_torch=True)),
        path.stat().st_size,
        {"method": method.memory.total},
    )


def _prepare(load: Callable[[], Loaded], library: Library) -> _Ready:
    """Measure memory first, because a loaded program shares some of it."""

    def loaded_and_run() -> Loaded:
        loaded = load()
        loaded.run()
        return loaded

    grown = growth(loaded_and_run)
    loaded, least = _load(load, library)
    for _ in range(_LOADS - 1):
        loaded, cost = _load(load, library)  # replaces the previously loaded program
        least = min(least, cost)
    return _Ready(loaded, least, grown)


def _load(load: Callable[[], Loaded], library: Library) -> tuple[Loaded, int]:
    """Load the program, and return it with the cost of loading."""
    held: list[Loaded] = []
    cost = sample(library, lambda: held.append(load())).cost
    return held[0], cost


def _figures(ready: _Ready, runs: list[Sample]) -> Figures:
    median = statistics.median(each.cost for each in runs)
    return Figures(cheapest(runs), median, ready.load, ready.grown)


def _differences(ours: Loaded, official: Loaded) -> tuple[float, float]:
    assert ours.outputs is not None and official.outputs is not None
    pairs = list(zip(ours.outputs(), official.outputs(), strict=True))
    difference = max(float((a.float() - b.float()).abs().max()) for a, b in pairs)
    return difference, max(float(b.float().abs().max()) for _, b in pairs)


def compare(lowered: Lowered, path: Path, library: Library, rounds: int) -> Comparison:
    """Load the program at `path` on both runtimes, then run them alternately."""
    setting = Setting(library, "", 1, Path())
    lowered.side.start(setting)
    model = lowered.model
    torch.manual_seed(1)
    ours = _prepare(lambda: _load_ours(model, path), library)
    official = _prepare(lambda: lowered.side.load(model, path, setting), library)
    runs: tuple[list[Sample], list[Sample]] = ([], [])
    for turn in range(rounds + 1):
        for side, kept in zip((ours, official), runs, strict=True):
            taken = sample(library, side.loaded.run)
            if turn > 0:  # the first turn has cold caches
                kept.append(taken)
    difference, largest = _differences(ours.loaded, official.loaded)
    return Comparison(
        lowered.name,
        _figures(ours, runs[0]),
        _figures(official, runs[1]),
        ours.loaded.memory["method"],
        difference,
        largest,
        os.getloadavg()[0],
    )
