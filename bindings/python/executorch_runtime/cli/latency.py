"""Measure run times."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Latency:
    """Run times in nanoseconds."""

    times: tuple[int, ...]

    def quantile(self, share: float) -> int:
        ordered = sorted(self.times)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]

    def __str__(self) -> str:
        shares = (("min", 0.0), ("median", 0.5), ("90%", 0.9), ("99%", 0.99))
        parts = [f"{name} {milliseconds(self.quantile(share))}" for name, share in shares]
        return f"{len(self.times)} runs: {', '.join(parts)}, max {milliseconds(max(self.times))}"


def milliseconds(nanoseconds: float) -> str:
    """Format a time in milliseconds. Very short times have two more digits."""
    return f"{nanoseconds / 1e6:.3f} ms" if nanoseconds >= 1e4 else f"{nanoseconds / 1e6:.5f} ms"


def measured(run: Callable[[], object], times: int) -> Latency:
    """Run `run` `times` times and measure each run."""
    found = []
    for _ in range(times):
        begin = time.perf_counter_ns()
        run()
        found.append(time.perf_counter_ns() - begin)
    return Latency(tuple(found))


def by_turns(runs: Sequence[Callable[[], int]], times: int, warm_up: int) -> list[Latency]:
    """Alternate the runs; each returns its time in nanoseconds.

    The first run changes in each round, so that each run follows each of the others equally often.
    """
    found: list[list[int]] = [[] for _ in runs]
    for turn in range(times + warm_up):
        order = range(len(runs)) if turn % 2 == 0 else reversed(range(len(runs)))
        for place in order:
            nanoseconds = runs[place]()
            if turn >= warm_up:
                found[place].append(nanoseconds)
    return [Latency(tuple(durations)) for durations in found]


def medians(runs: Sequence[Sequence[int]]) -> list[float]:
    """Return the median over runs for each position."""
    return [statistics.median(place) for place in zip(*runs)]
