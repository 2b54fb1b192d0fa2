"""Measure the latency of a program, or compare two programs.

    executorch_benchmark net.pte
    executorch_benchmark net.pte --json net.json --svg net.svg
    executorch_benchmark net.pte --against old.pte           alternate the runs of both programs
    executorch_benchmark net.pte --against net.json          compare with an earlier run

Times cover execution only, on the inputs of -i or on random inputs. Operators are timed in separate runs,
with an observer.

Exit codes: 0: success; 1: the program or an input is not valid; 2: usage error.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from executorch_report.facts import read_program
from executorch_runtime import ExecutorchError, Method, Program
from executorch_runtime.cli.common import (
    add_program_arguments,
    check_weights,
    count_argument,
    only_method,
    path_argument,
    seed_argument,
    timed,
)
from executorch_runtime.cli.inputs import InputError, random_inputs, read_calls
from executorch_runtime.cli.latency import Latency, by_turns, medians, milliseconds
from executorch_runtime.cli.measurement import (
    Measurement,
    OperatorTime,
    cpu_name,
    load,
    read_measurement,
    write_measurement,
)
from executorch_runtime.cli.plot import plot
from exir.base_error import InvalidProgramError
from exir.files.unreadable import failure

_WARM_UP = 3
_TRACED = 20  # runs for times of operators
_SHOWN = 12  # operators printed


def main(argv: Sequence[str] | None = None) -> int:
    options = _parse(sys.argv[1:] if argv is None else argv)
    try:
        _measure_and_report(options)
    except (ExecutorchError, InvalidProgramError, InputError, OSError) as error:
        print(f"executorch_benchmark: {failure(options.program, error)}", file=sys.stderr)
        return 1
    return 0


def _measure_and_report(options: argparse.Namespace) -> None:
    against = options.against
    is_earlier = against is not None and against.suffix == ".json"
    programs = [(options.program, options.weights)]
    if against is not None and not is_earlier:
        programs.append((against, options.against_weights))
    found = _measure(programs, options)
    if is_earlier:
        found.append(read_measurement(against))
    for measurement in found:
        _print(measurement)
    if len(found) > 1:
        _print_ratio(found[0], found[1], were_by_turns=not is_earlier)
    if options.json:
        write_measurement(options.json, found[0])
        print(f"json: {options.json}")
    if options.svg:
        options.svg.write_text(plot(found), encoding="utf-8")
        print(f"plot: {options.svg}")


def _measure(programs: Sequence[tuple[Path, Sequence[Path]]], options: argparse.Namespace) -> list[Measurement]:
    """Measure all programs, with alternating runs."""
    sides = [_Side(path, weights, options) for path, weights in programs]
    before = load()
    latencies = by_turns([side.run for side in sides], options.repeat, _WARM_UP)
    return [side.measurement(latency, options.threads, before) for side, latency in zip(sides, latencies)]


class _Side:
    """A loaded program with its inputs."""

    def __init__(self, path: Path, weights: Sequence[Path], options: argparse.Namespace) -> None:
        self._path = path
        self._program = Program(path, *weights)
        self._facts = read_program(path)
        check_weights(self._facts, weights)
        self._options = options
        self._name = options.method or only_method(self._program)
        self._signature = self._program.signature(self._name)
        self._method = self._load(trace=False)
        self._inputs = self._given_or_random()

    def run(self) -> int:
        return timed(self._method, self._inputs)

    def _load(self, trace: bool) -> Method:
        return self._program.method(self._name, threads=self._options.threads, seed=0, trace=trace)

    def _given_or_random(self) -> list[Any]:
        if self._options.input:
            return read_calls(self._options.input, self._signature)[0]
        scalars = self._facts.method(self._name).scalar_inputs
        return random_inputs(self._signature, scalars, self._options.seed, self._options.integers_below)

    def measurement(self, latency: Latency, threads: int, load_before: float) -> Measurement:
        return Measurement(
            self._path.name, str(self._signature), threads, cpu_name(), load_before, latency.times, self._operators()
        )

    def _operators(self) -> tuple[OperatorTime, ...]:
        """Return the operators, slowest first.

        An operator's time is the sum over its instructions of the median over runs.
        """
        traced = self._load(trace=True)
        runs = []
        for _ in range(_TRACED):
            traced.clear_events()
            timed(traced, self._inputs)
            runs.append([event for event in traced.events() if event.kind in ("kernel", "delegate")])
        times = medians([[event.end - event.begin for event in events] for events in runs])
        sums: dict[str, list[float]] = {}
        for event, nanoseconds in zip(runs[0], times):
            sums.setdefault(event.name, []).append(nanoseconds)
        found = [OperatorTime(name, len(durations), sum(durations)) for name, durations in sums.items()]
        return tuple(sorted(found, key=lambda operator: (-operator.nanoseconds, operator.name)))


def _print(found: Measurement) -> None:
    threads = "1 thread" if found.threads == 1 else f"{found.threads} threads"
    print(f"{found.program}: {found.signature}")
    print(f"  {found.cpu}, load {found.load:.1f}, {threads}")
    print(f"  {found.latency}")
    total = sum(operator.nanoseconds for operator in found.operators) or 1
    width = max((len(operator.name) for operator in found.operators[:_SHOWN]), default=0)
    for operator in found.operators[:_SHOWN]:
        share = f"{100 * operator.nanoseconds / total:.1f} %"
        print(
            f"  {operator.name:<{width}}  {operator.calls:>5} x  {milliseconds(operator.nanoseconds):>12}  {share:>7}"
        )
    if len(found.operators) > _SHOWN:
        print(f"  and {len(found.operators) - _SHOWN} more operators")


def _print_ratio(new: Measurement, old: Measurement, were_by_turns: bool) -> None:
    ratio = new.latency.quantile(0.5) / max(old.latency.quantile(0.5), 1)
    comparison = f"{1 / ratio:.2f}x faster" if 0 < ratio < 1 else f"{ratio:.2f}x slower"
    print(f"{new.program} is {comparison} than {old.program} (medians)")
    if were_by_turns:
        pairs = sorted(one / max(other, 1) for one, other in zip(new.times, old.times))
        low, high = pairs[len(pairs) // 10], pairs[len(pairs) * 9 // 10]
        print(f"  time ratio in 80 % of {len(pairs)} paired runs: {low:.3f} to {high:.3f}")
    else:
        print("  measured at another time, so other load affects the ratio; pass a .pte to --against to alternate runs")


def _parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("executorch_benchmark", description=__doc__, allow_abbrev=False)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add_program_arguments(parser)
    add("--seed", type=seed_argument, default=0, help="seed of random inputs (default: 0)")
    add("--repeat", type=count_argument, default=100, metavar="N", help="number of timed runs (default: 100)")
    add(
        "--against", type=path_argument, metavar="FILE", help="program (.pte) or earlier result (.json) to compare with"
    )
    add(
        "--against-weights",
        type=path_argument,
        action="append",
        default=[],
        metavar="FILE",
        help="weights file of the other program (.ptd); repeatable",
    )
    add("--json", type=path_argument, metavar="FILE", help="write all measured times")
    add(
        "--svg",
        type=path_argument,
        metavar="FILE",
        help="write a chart of the latency distribution and of the operators",
    )
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
