"""Tests of interleaving and reporting, with fake sides."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from benchmarks.latency import plot, table
from benchmarks.latency.measurement import Measurement, measure
from benchmarks.latency.native import Reading
from benchmarks.latency.rounds import Sample, cheapest
from benchmarks.latency.sides.side import Loaded, Missing, Setting, Side
from benchmarks.latency.steps import StepCost
from benchmarks.latency.steps import cheapest as cheapest_steps
from executorch_runtime import Event

_MODEL: Any = SimpleNamespace(
    name="tiny", operations=8_000_000, weights=4, kind="text", module=lambda x: 2 * x, inputs=(torch.tensor([4.0]),)
)


@dataclass
class _Clock:
    """A fake library whose counter only advances when a side adds to it."""

    unit: str = "cycles"
    now: int = 0
    log: list[str] = field(default_factory=list)
    used_avx512: bool | None = None

    def forget_avx512(self) -> None:
        self.used_avx512 = self.used_avx512 and False

    def read(self) -> Reading:
        return Reading(self.now, self.now, self.now, self.now)


class _Pretended(Side):
    def __init__(self, name: str, clock: _Clock, costs: list[int], output: float | None = 8.0) -> None:
        self.name, self._clock, self._costs, self._output = name, clock, costs, output

    def load(self, model: Any, path: Path | None, setting: Setting) -> Loaded:
        outputs = None if self._output is None else lambda: [torch.tensor([self._output])]
        return Loaded(self._run, outputs, 1_000_000, {"planned": 2_000_000, "scratch": 500_000})

    def _run(self) -> None:
        self._clock.log.append(self.name)
        self._clock.now += self._costs.pop(0) if len(self._costs) > 1 else self._costs[0]


class _OfFile(_Pretended):
    """Record when the file, which has twice the requested size, is read and loaded."""

    def file(self, model: Any, path: Path | None, setting: Setting) -> Any:
        return SimpleNamespace(open=lambda mode: self)

    def __enter__(self) -> _OfFile:
        self._left = 2
        return self

    def __exit__(self, *_: object) -> None:
        self._clock.log.append("closed")

    def read(self, count: int) -> bytes:
        self._clock.log.append("read")
        self._left -= 1
        return bytes(count if self._left >= 0 else 0)

    def load(self, model: Any, path: Path | None, setting: Setting) -> Loaded:
        self._clock.log.append("loaded")
        return super().load(model, path, setting)


class _Wide(_Pretended):
    def _run(self) -> None:
        super()._run()
        self._clock.used_avx512 = True


class _Absent(Side):
    name = "absent"

    def start(self, setting: Setting) -> None:
        raise Missing("absent is not installed")

    def load(self, model: Any, path: Path | None, setting: Setting) -> Loaded:
        raise AssertionError("never started")


class _Unfit(_Absent):
    name = "unfit"

    def takes(self, model: Any) -> bool:
        return False


_SLOW = 1_000_000_000  # so that each turn has one run


def _measure(clock: _Clock, sides: list[Side], rounds: int = 2) -> Measurement:
    return measure(_MODEL, sides, Setting(clock, "avx2", 1, Path(), held=True), rounds)  # type: ignore[arg-type]


def _three(clock: _Clock) -> list[Side]:
    return [
        _Pretended("ours, cpu", clock, [9 * _SLOW, 3 * _SLOW, 2 * _SLOW]),
        _Pretended("peer", clock, [4 * _SLOW], 8.4),
        _Pretended(table.LIMIT, clock, [_SLOW], None),
    ]


def test_peers_run_in_turn():
    clock = _Clock()
    _measure(clock, [*_three(clock)[:2], _Absent(), _Unfit()])
    assert clock.log == ["ours, cpu", "peer"] * 3  # the first runs, and two rounds


def test_files_are_read_before_loading_is_timed():
    clock = _Clock()
    _measure(clock, [_OfFile("file", clock, [_SLOW])], rounds=1)
    assert clock.log == ["read", "read", "read", "closed", "loaded", "file", "file"]


def test_fastest_run_excludes_interrupted_runs():
    def cost(*runs: tuple[int, int]) -> int:
        return cheapest([Sample(thread, wall, thread, thread) for thread, wall in runs])

    assert cost((700, 1000), (998, 1000), (1010, 1011), (990, 1200)) == 998
    assert cost((700, 1000), (900, 1200)) == 700


def test_short_runs_are_repeated_within_a_turn():
    clock = _Clock()
    _measure(clock, [_Pretended("short", clock, [10_000_000])], rounds=1)
    assert len(clock.log) == 1 + 10


def test_fastest_run_counts_and_the_first_is_separate():
    clock = _Clock()
    ours = _measure(clock, _three(clock)).sides[0].samples
    assert (ours.cost, ours.first.cost, len(ours.runs)) == (2 * _SLOW, 9 * _SLOW, 2)


def test_ratios_to_peers_and_to_the_limit():
    clock = _Clock()
    ratios = table.ratios(_measure(clock, _three(clock)), threads=1)
    assert ratios["peer"] == {"ours": 0.5, "limit": 0.25}
    assert ratios["ours, cpu"] == {"ours": 1.0, "limit": 0.5}


def test_outputs_are_compared_with_eager():
    clock = _Clock()
    errors = [side.error for side in _measure(clock, _three(clock)).sides]
    assert errors == [0.0, pytest.approx(0.05), None]


def test_missing_peer_has_a_line():
    clock = _Clock()
    found = _measure(clock, [*_three(clock), _Absent(), _Unfit()])
    lines = table.text(found, "cycles", 1).splitlines()
    assert lines[-1] == "  absent: skipped: absent is not installed"
    assert "peer" in lines[3] and "0.50" in lines[3] and "4000.00" in lines[3]
    assert table.record(found, 1)["missing"] == {"absent": "absent is not installed"}


def test_peer_that_used_a_disallowed_feature_is_named():
    clock = _Clock(used_avx512=False)
    found = _measure(clock, [_Wide("wide", clock, [_SLOW]), *_three(clock)])
    assert [side.used_avx512 for side in found.sides] == [True, False, False, False]
    assert (
        table.text(found, "cycles", 1).splitlines()[-1] == "  used AVX-512 registers, although restricted to avx2: wide"
    )


def test_absence_of_disallowed_features_is_reported():
    clock = _Clock(used_avx512=False)
    lines = table.text(_measure(clock, _three(clock)), "cycles", 1).splitlines()
    assert lines[-1] == "  used AVX-512 registers, although restricted to avx2: no side"


def test_feature_use_is_omitted_where_registers_are_unreadable():
    clock = _Clock()
    assert "registers" not in table.text(_measure(clock, _three(clock)), "cycles", 1)


def test_no_ratios_without_our_result_or_a_limit():
    clock = _Clock()
    assert table.ratios(_measure(clock, [_Pretended("peer", clock, [_SLOW])]), 1) == {"peer": {}}


def test_plot_needs_the_limit():
    clock = _Clock()
    record = table.record(_measure(clock, [_Pretended("peer", clock, [_SLOW])]), 1)
    with pytest.raises(Missing):
        plot.draw([record], "title", Path("never.png"))


def test_delegate_ops_belong_to_their_delegate_call() -> None:
    slow = (
        Event("delegate", 3, "CpuBackend", 0, 90),
        Event("step", 0, "product", 5, 45),
        Event("kernel", 4, "add", 90, 99),
    )
    fast = (
        Event("delegate", 3, "CpuBackend", 0, 50),
        Event("step", 0, "product", 5, 25),
        Event("kernel", 4, "add", 50, 60),
    )
    assert cheapest_steps([slow, fast]) == [
        StepCost(3, None, "CpuBackend", 50),
        StepCost(3, 0, "product", 20),
        StepCost(4, None, "add", 9),
    ]


def test_repeated_instruction_is_summed() -> None:
    looping = [Event("kernel", 1, "add", 0, 5), Event("kernel", 1, "add", 7, 9)]
    assert cheapest_steps([looping]) == [StepCost(1, None, "add", 7)]
