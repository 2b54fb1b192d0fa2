"""Command-line parser."""

from __future__ import annotations

import argparse
import os
from pathlib import Path


def parse(arguments: list[str], models: list[str], sides: list[str], isas: list[str]) -> argparse.Namespace:
    """Parse the command line. Exits with a message if a name is unknown."""
    parser = argparse.ArgumentParser(
        prog="latency", description="Measure models on this project's runtime and on its peers."
    )
    parser.add_argument("models", nargs="*", metavar="MODEL", help=f"one of {', '.join(models)}; default: all")
    parser.add_argument("--isa", choices=isas, default=isas[-1], help="restrict all sides to this instruction set")
    parser.add_argument("--threads", type=int, choices=(1, 2), default=1, help="threads per side")
    parser.add_argument("--rounds", type=_positive, default=10, help="measurements of each side, interleaved")
    parser.add_argument("--sides", type=_list, help=f"only these sides, separated by semicolons: {'; '.join(sides)}")
    parser.add_argument("--json", type=_path, help="write the results to this file")
    parser.add_argument("--plot", type=_path, help="draw the results to this PNG file")
    parser.add_argument(
        "--steps", type=_positive, nargs="?", const=40, help="print the N most expensive ops of our programs instead"
    )
    parser.add_argument(
        "--instructions", action="store_true", help="count instructions of each side with valgrind instead"
    )
    options = parser.parse_args(arguments)
    _check_names(parser, "model", options.models, models)
    _check_names(parser, "side", options.sides or [], sides)
    options.models = options.models or models
    return options


def _list(text: str) -> list[str]:
    return [name.strip() for name in text.split(";")]


def _path(text: str) -> Path:
    """Resolve the path against the folder of `bazel run`'s caller."""
    return Path(os.environ.get("BUILD_WORKING_DIRECTORY", "."), text)


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return number


def _check_names(parser: argparse.ArgumentParser, kind: str, names: list[str], known: list[str]) -> None:
    for name in names:
        if name not in known:
            parser.error(f"unknown {kind} '{name}'; choose from: {', '.join(known)}")
