"""Run a program and print its outputs, its latency and its memory use.

    executorch_run net.pte                                   random inputs, seed 0
    executorch_run net.pte -i photo.jpg --save out.npz
    executorch_run net.pte -i in.npz --compare out.npz       exit code 1 if an output differs
    executorch_run net.pte --repeat 100 --trace trace.json --sources net.sources.json

Exit codes: 0: success; 1: the program or an input is not valid, or an output differs; 2: usage error.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from executorch_report.facts import ProgramFacts, read_program
from executorch_report.text import count_text
from executorch_runtime import ExecutorchError, Method, Program
from executorch_runtime.cli.common import (
    add_program_arguments,
    check_weights,
    count_argument,
    only_method,
    path_argument,
    runner,
    seed_argument,
    sources_of,
)
from executorch_runtime.cli.comparison import Difference, compare, widened
from executorch_runtime.cli.inputs import InputError, random_inputs, read_arrays, read_calls
from executorch_runtime.cli.latency import measured, milliseconds
from executorch_runtime.cli.trace_file import trace_document, write_trace
from executorch_runtime.values import Signature
from exir.base_error import InvalidProgramError
from exir.files.unreadable import failure

_SHOWN = 8  # elements printed per output

Outputs = list[tuple[Any, ...]]


def main(argv: Sequence[str] | None = None) -> int:
    options = _parse(sys.argv[1:] if argv is None else argv)
    try:
        return _run_program(options)
    except (ExecutorchError, InvalidProgramError, InputError, OSError) as error:
        print(f"executorch_run: {failure(options.program, error)}", file=sys.stderr)
        return 1


def _run_program(options: argparse.Namespace) -> int:
    program = Program(options.program, *options.weights)
    facts = read_program(options.program)
    check_weights(facts, options.weights)
    expected = read_arrays(options.compare) if options.compare else []
    name = options.method or only_method(program)
    signature = program.signature(name)
    method = program.method(name, threads=options.threads, seed=options.seed, trace=options.trace is not None)
    print(f"{options.program.name}: {signature}")
    calls = (
        read_calls(options.input, signature)
        if options.input
        else [random_inputs(signature, facts.method(name).scalar_inputs, options.seed, options.integers_below)]
    )
    outputs = [method(*inputs) for inputs in calls]
    _print_outputs(outputs, signature)
    print(f"memory: {_memory(method, facts.nbytes)}")
    if options.repeat:
        print(f"time: {measured(runner(method, calls[-1]), options.repeat)}")
    if options.trace:
        _trace(options, program, method, calls[-1], facts)
    if options.save:
        np.savez(options.save, **_named(outputs))
    return _compare(options, outputs, expected, signature) if options.compare else 0


def _memory(method: Method, file: int) -> str:
    found = method.memory
    parts = {"planned": found.planned, "scratch": found.scratch, "method": found.method, "read": found.data}
    shown = ", ".join(f"{name} {size:,}" for name, size in parts.items() if size)
    return f"{found.total:,} bytes ({shown}), the file {file:,}"


def _trace(
    options: argparse.Namespace, program: Program, method: Method, inputs: Sequence[Any], facts: ProgramFacts
) -> None:
    """Write a trace of loading and of one more run. The first run had cold caches."""
    loads = [event for event in (*program.load_events, *method.events()) if event.kind.endswith("load")]
    method.clear_events()
    method(*inputs)
    found = facts.method(method.signature.name)
    document = trace_document(
        [*loads, *method.events()], found, sources_of(options.program, options.sources, found), method.sizes_of
    )
    write_trace(options.trace, document)
    spans = [event for event in method.events() if event.kind != "step"]
    print(
        f"trace: {options.trace}, {count_text(len(spans), 'instruction')} in {milliseconds(spans[-1].end - spans[0].begin)}"
    )


def _print_outputs(outputs: Outputs, signature: Signature) -> None:
    for name, value in _named(outputs).items():
        print(f"{name}: {_shown(value, _dtype(name, signature))}")


def _dtype(name: str, signature: Signature) -> str:
    """Return the dtype of an output by its name from `_named`."""
    return signature.outputs[int(name.rpartition("out")[2])].dtype


def _named(outputs: Outputs) -> dict[str, Any]:
    """Name the outputs as in files. Outputs of a single call have no call number."""
    prefix = "c{call}_" if len(outputs) > 1 else ""
    return {
        f"{prefix.format(call=call)}out{index}": np.asarray(value)
        for call, values in enumerate(outputs)
        for index, value in enumerate(values)
        if value is not None
    }


def _shown(value: Any, dtype: str) -> str:
    value = widened(value) if dtype == "bfloat16" else value
    if value.ndim == 0:
        return str(value.item())
    elements = ", ".join(
        f"{element:.6g}" if value.dtype.kind == "f" else str(element) for element in value.ravel()[:_SHOWN]
    )
    rest = ", ..." if value.size > _SHOWN else ""
    return f"{dtype}{list(value.shape)} {elements}{rest}"


def _compare(
    options: argparse.Namespace, outputs: Outputs, expected: Sequence[tuple[str, Any]], signature: Signature
) -> int:
    found = _named(outputs)
    if len(found) != len(expected):
        raise InputError(
            f"{options.compare} has {len(expected)} outputs, but the program has {len(found)}; pass its outputs"
        )
    differences = [
        _difference(options, name, _dtype(name, signature), value, other)
        for (name, value), (_, other) in zip(found.items(), expected)
    ]
    for difference in differences:
        print(difference)
    return 1 if any(difference.problem for difference in differences) else 0


def _difference(options: argparse.Namespace, name: str, dtype: str, value: Any, expected: Any) -> Difference:
    is_bits = dtype == "bfloat16" and expected.dtype in (np.int16, np.uint16)
    value, expected = (widened(value), widened(expected)) if is_bits else (value, expected)
    return compare(name, value, expected, options.atol, options.rtol)


def _npz_argument(text: str) -> Path:
    if not text.endswith(".npz"):
        raise argparse.ArgumentTypeError(f"'{text}' must end in .npz")
    return path_argument(text)


def _parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("executorch_run", description=__doc__, allow_abbrev=False)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add_program_arguments(parser)
    add(
        "--seed",
        type=seed_argument,
        default=0,
        help="seed of random inputs and of the program's random operators (default: 0)",
    )
    add(
        "--repeat",
        type=count_argument,
        default=0,
        metavar="N",
        help="repeat the last call N times and print its latency",
    )
    add("--save", type=_npz_argument, metavar="FILE", help="write the outputs (.npz)")
    add(
        "--trace",
        type=path_argument,
        metavar="FILE",
        help="trace one more run and write it for Chrome or Perfetto (JSON)",
    )
    add(
        "--sources",
        type=path_argument,
        metavar="FILE",
        help="source lines of each instruction (default: NAME.sources.json next to the program)",
    )
    add("--compare", type=path_argument, metavar="FILE", help="expected outputs (.npz or .npy)")
    add("--atol", type=float, default=1e-5, help="absolute tolerance of --compare (default: 1e-5)")
    add("--rtol", type=float, default=1e-5, help="relative tolerance of --compare (default: 1e-5)")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
