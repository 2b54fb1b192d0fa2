"""Measure one model on all sides."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import torch

from benchmarks.latency.catalog import Model
from benchmarks.latency.conversion import converted
from benchmarks.latency.rounds import Sample, Samples, sample, take_turns
from benchmarks.latency.sides.side import Loaded, Missing, Setting, Side, converts


@dataclass(frozen=True)
class Measured:
    """Measurements of one side."""

    side: str
    samples: Samples
    loaded: Loaded
    error: float | None  # largest difference from eager PyTorch, as a share of its largest output
    used_avx512: bool | None  # if restricted: whether its first run left AVX-512 registers in use


@dataclass(frozen=True)
class Measurement:
    """Measurements of one model."""

    model: Model
    isa: str  # the requested instruction set
    sides: list[Measured]
    missing: dict[str, str]  # reason by side


def measure(model: Model, sides: Iterable[Side], setting: Setting, rounds: int) -> Measurement:
    """Load all sides, then run them alternately."""
    expected = model.module(*model.inputs)
    loaded: dict[str, Loaded] = {}
    samples: dict[str, Samples] = {}
    wide: dict[str, bool | None] = {}
    missing: dict[str, str] = {}
    for side in sides:
        if not side.takes(model):
            continue
        try:
            loaded[side.name], samples[side.name], wide[side.name] = _load(side, model, setting)
        except Missing as reason:
            missing[side.name] = str(reason)
    take_turns(setting.library, {name: each.run for name, each in loaded.items()}, samples, rounds)
    measured = [
        Measured(name, samples[name], each, _error(each, expected), wide[name]) for name, each in loaded.items()
    ]
    return Measurement(model, setting.isa, measured, missing)


def _load(side: Side, model: Model, setting: Setting) -> tuple[Loaded, Samples, bool | None]:
    side.start(setting)
    path = converted(side, model) if converts(side) else None
    found: list[Loaded] = []
    _read(side.file(model, path, setting))
    loading: Sample = sample(setting.library, lambda: found.append(side.load(model, path, setting)))
    setting.library.forget_avx512()
    first = sample(setting.library, found[0].run)
    used = setting.library.used_avx512 if setting.held else None
    return found[0], Samples(loading.wall_ns, first), used


def _read(file: Path | None) -> None:
    """Read the file once, so that loading and the first run do not wait for the disk."""
    if file is not None:
        with file.open("rb") as bytes_of:
            while bytes_of.read(1 << 20):
                pass


def _error(loaded: Loaded, expected: torch.Tensor) -> float | None:
    if loaded.outputs is None:
        return None
    found = loaded.outputs()[0].reshape(expected.shape).to(expected.dtype)
    return float((found - expected).abs().max() / expected.abs().max())
