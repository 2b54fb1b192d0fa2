"""Run sides alternately, and record the cost of each run."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from benchmarks.latency.native import Library

_SECONDS_A_TURN = 0.1
_MOST_RUNS_A_TURN = 20
_UNDISTURBED = 0.99


@dataclass(frozen=True)
class Sample:
    """One run."""

    cost: int  # of the calling thread: cycles, or nanoseconds of processor time without a cycle counter
    wall_ns: int
    thread_ns: int
    process_ns: int


@dataclass
class Samples:
    """The runs of one side."""

    load_ns: int
    first: Sample
    runs: list[Sample] = field(default_factory=list)

    @property
    def cost(self) -> int:
        return cheapest(self.runs)

    @property
    def wall_ns(self) -> float:
        return statistics.median(run.wall_ns for run in self.runs)

    @property
    def fastest_ns(self) -> int:
        return min(run.wall_ns for run in self.runs)

    @property
    def elsewhere(self) -> float:
        """Share of the processor time used by other threads."""
        total = sum(run.process_ns for run in self.runs)
        return 1 - sum(run.thread_ns for run in self.runs) / total if total else 0.0


def cheapest(runs: Sequence[Sample]) -> int:
    """Return the cost of the cheapest run; other load can only add to it.

    If possible, only runs that were never preempted count. In a virtual machine, stolen time is
    subtracted from the running thread at the next tick, so a run may appear cheaper than possible.
    """
    undisturbed = [run.cost for run in runs if run.thread_ns >= _UNDISTURBED * run.wall_ns]
    return min(undisturbed or [run.cost for run in runs])


def sample(library: Library, run: Callable[[], object]) -> Sample:
    """Measure the cost of one call."""
    before = library.read()
    run()
    after = library.read()
    wall, thread = after.wall_ns - before.wall_ns, after.thread_ns - before.thread_ns
    cost = after.cycles - before.cycles if library.unit == "cycles" else thread
    return Sample(cost, wall, thread, after.process_ns - before.process_ns)


def take_turns(
    library: Library, runs: Mapping[str, Callable[[], object]], samples: Mapping[str, Samples], rounds: int
) -> None:
    """Run rounds in which every side gets about the same time.

    The first run of a turn starts with cold caches.
    """
    for _ in range(rounds):
        for name, run in runs.items():
            for _ in range(_runs_a_turn(samples[name])):
                samples[name].runs.append(sample(library, run))


def _runs_a_turn(samples: Samples) -> int:
    seconds = (samples.runs[-1] if samples.runs else samples.first).thread_ns / 1e9
    return max(1, min(_MOST_RUNS_A_TURN, round(_SECONDS_A_TURN / max(seconds, 1e-6))))
