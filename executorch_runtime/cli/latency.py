"""How long runs take."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Latency:
    """Times of runs in nanoseconds."""

    times: tuple[int, ...]

    def quantile(self, share: float) -> int:
        ordered = sorted(self.times)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]

    def __str__(self) -> str:
        shares = (("min", 0.0), ("median", 0.5), ("90%", 0.9), ("99%", 0.99))
        parts = [f"{name} {milliseconds(self.quantile(share))}" for name, share in shares]
        return f"{len(self.times)} runs: {', '.join(parts)}, max {milliseconds(max(self.times))}"


def milliseconds(nanoseconds: float) -> str:
    """With two more digits for what is very short."""
    return f"{nanoseconds / 1e6:.3f} ms" if nanoseconds >= 1e4 else f"{nanoseconds / 1e6:.5f} ms"


def measured(run: Callable[[], object], times: int) -> Latency:
    """Runs it that often."""
    found = []
    for _ in range(times):
        begin = time.perf_counter_ns()
        run()
        found.append(time.perf_counter_ns() - begin)
    return Latency(tuple(found))


def by_turns(runs: Sequence[Callable[[], int]], times: int, warm_up: int) -> list[Latency]:
    """Each of them that often, one after the other; who begins changes, so that all follow all alike. A run gives its
    nanoseconds."""
    found: list[list[int]] = [[] for _ in runs]
    for turn in range(times + warm_up):
        order = range(len(runs)) if turn % 2 == 0 else reversed(range(len(runs)))
        for place in order:
            nanoseconds = runs[place]()
            if turn >= warm_up:
                found[place].append(nanoseconds)
    return [Latency(tuple(each)) for each in found]


def medians(runs: Sequence[Sequence[int]]) -> list[float]:
    """Of each place, over runs."""
    return [statistics.median(place) for place in zip(*runs)]
