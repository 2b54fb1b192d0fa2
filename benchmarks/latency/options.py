"""The command line."""

from __future__ import annotations

import argparse
import os
from pathlib import Path


def parse(arguments: list[str], models: list[str], sides: list[str], isas: list[str]) -> argparse.Namespace:
    """What was asked for; ends the program with a message where that is not to be had."""
    parser = argparse.ArgumentParser(prog="latency", description="Models on this project's runtime and on its peers.")
    parser.add_argument("models", nargs="*", metavar="MODEL", help=f"of {', '.join(models)}; all when none is named")
    parser.add_argument("--isa", choices=isas, default=isas[-1], help="instruction set that all sides are held to")
    parser.add_argument("--threads", type=int, choices=(1, 2), default=1, help="that each side may use")
    parser.add_argument("--rounds", type=_positive, default=10, help="turns of each side")
    parser.add_argument("--sides", type=_list, help=f"just these, separated by semicolons: {'; '.join(sides)}")
    parser.add_argument("--json", type=_path, help="file to write the figures to")
    parser.add_argument("--plot", type=_path, help="PNG to draw them in")
    parser.add_argument(
        "--steps", type=_positive, nargs="?", const=40, help="print our dearest steps instead: how many"
    )
    parser.add_argument(
        "--instructions", action="store_true", help="count what a run of each side executes instead, by valgrind"
    )
    options = parser.parse_args(arguments)
    _check_names(parser, "model", options.models, models)
    _check_names(parser, "side", options.sides or [], sides)
    options.models = options.models or models
    return options


def _list(text: str) -> list[str]:
    return [name.strip() for name in text.split(";")]


def _path(text: str) -> Path:
    """From where `bazel run` was called, as it changes the folder."""
    return Path(os.environ.get("BUILD_WORKING_DIRECTORY", "."), text)


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return number


def _check_names(parser: argparse.ArgumentParser, kind: str, names: list[str], known: list[str]) -> None:
    for name in names:
        if name not in known:
            parser.error(f"there is no {kind} '{name}'; there are {', '.join(known)}")
