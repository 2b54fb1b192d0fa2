"""Code shared by the tools: arguments, choice of the method, source lines."""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from executorch_report.facts import MethodFacts, ProgramFacts
from executorch_report.text import count_text
from executorch_runtime import Method, Program
from executorch_runtime.cli.inputs import InputError

Sources = Sequence[Sequence[Mapping[str, str]]]


def only_method(program: Program) -> str:
    """Return `forward`, or the only method.

    Raises `InputError` if the user must choose.
    """
    names = program.methods
    if "forward" in names or len(names) == 1:
        return "forward" if "forward" in names else names[0]
    raise InputError(f"has the methods {', '.join(names)}; choose one with --method")


def check_weights(facts: ProgramFacts, given: Sequence[Path]) -> None:
    """Raise `InputError` if the program needs a weights file that is not given."""
    if facts.external and not given:
        names = ", ".join(facts.external[:3]) + (", ..." if len(facts.external) > 3 else "")
        count = count_text(len(facts.external), "weight")
        raise InputError(f"has {count} in a separate file ({names}); pass the .ptd file with --weights")


def runner(method: Method, inputs: Sequence[Any]) -> Callable[[], None]:
    """Return a function that sets the inputs and executes, without reading outputs."""

    def run() -> None:
        borrowed = [method.set_input(index, value) for index, value in enumerate(inputs)]
        method.execute()
        del borrowed

    return run


def timed(method: Method, inputs: Sequence[Any]) -> int:
    """Set the inputs, execute, and return the execution time in nanoseconds."""
    borrowed = [method.set_input(index, value) for index, value in enumerate(inputs)]
    begin = time.perf_counter_ns()
    method.execute()
    end = time.perf_counter_ns()
    del borrowed
    return end - begin


def sources_of(program: Path, given: Path | None, method: MethodFacts) -> Sources:
    """Return the source lines of each instruction.

    They are in the given file, or in the file with the program's name and the suffix `.sources.json`. Without
    a file, the result is empty. Raises `InputError` for a file that does not belong to the program.
    """
    path = given or program.with_suffix(".sources.json")
    if not path.exists() and not given:
        return []
    try:
        found: list[list[Mapping[str, str]]] = json.loads(path.read_text(encoding="utf-8"))["methods"][method.name]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{path} does not list the source lines of method '{method.name}'; pass a file of the model's output group 'sources'"
        ) from error
    if len(found) != len(method.instructions):
        raise InputError(
            f"{path} belongs to another program: it has {len(found)} instructions, expected {len(method.instructions)}; pass that program's file"
        )
    return found


def path_argument(text: str) -> Path:
    """Resolve a path from the user's working directory, which `bazel run` changes."""
    return Path(os.environ.get("BUILD_WORKING_DIRECTORY", ""), text)


def count_argument(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be an integer of at least 1, got '{text}'")
    return int(text)


def seed_argument(text: str) -> int:
    if not text.isdecimal() or int(text) >= 2**64:
        raise argparse.ArgumentTypeError(f"must be an integer from 0 to 2**64 - 1, got '{text}'")
    return int(text)


def add_program_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags that select the program, the method and the inputs."""
    add = parser.add_argument
    add("program", type=path_argument, help="program (.pte)")
    add(
        "-w",
        "--weights",
        type=path_argument,
        action="append",
        default=[],
        metavar="FILE",
        help="weights file of the program (.ptd); repeatable",
    )
    add("-m", "--method", help="method to run (default: forward, or the only method)")
    add(
        "-i",
        "--input",
        type=path_argument,
        action="append",
        default=[],
        metavar="FILE",
        help="input: an .npz file with all inputs, or an .npy file or image for the next one; repeatable",
    )
    add(
        "--integers-below",
        type=count_argument,
        default=2,
        metavar="N",
        help="exclusive upper bound of random integer inputs (default: 2)",
    )
    add("--threads", type=count_argument, default=1, metavar="N", help="number of threads (default: 1)")
