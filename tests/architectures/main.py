"""Compiles architectures of model packages, and compares them with eager PyTorch.

./bazelw run //tests/architectures:try -- --packages FOLDER [--backend cpu] [--results FILE.jsonl] [WORD…]
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import importlib
import importlib.util
import json
import logging
import multiprocessing
import sys
import time
import warnings
from multiprocessing.connection import Connection
from pathlib import Path

import torch

from exir.dialects import torchvision_operators
from tests.architectures import (
    plain_models,
    timm_models,
    torchvision_models,
    transformers_models,
    transformers_parts,
    trial,
)
from tests.architectures.architecture import Architecture

_LOWER = {"cpu": trial.lower_for_cpu, "portable": trial.lower}
_FORK = multiprocessing.get_context("fork")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="try", description=__doc__)
    parser.add_argument("--packages", type=Path, help="folder of Python packages, created by `pip install --target`")
    parser.add_argument(
        "--results", type=Path, help="file of results, one JSON object per line; later runs skip these entries"
    )
    parser.add_argument("--backend", choices=sorted(_LOWER), default="portable", help="backend to compile for")
    parser.add_argument(
        "--tolerance", type=float, default=trial.TOLERANCE, help="largest error, relative to the largest output"
    )
    parser.add_argument("--seconds", type=float, default=900, help="time limit for one architecture")
    parser.add_argument("words", nargs="*", help="try only architectures whose names contain one of these words")
    return parser.parse_args()


def _chosen(words: list[str]) -> list[Architecture]:
    """Return the architectures of installed packages that match `words`."""
    modules = (plain_models, torchvision_models, timm_models, transformers_models, transformers_parts)
    every = [architecture for module in modules for architecture in module.architectures()]
    wanted = [architecture for architecture in every if not words or any(word in str(architecture) for word in words)]
    there = {package for package in {architecture.package for architecture in wanted} if _imported(package)}
    return [architecture for architecture in wanted if architecture.package in there]


def _imported(package: str) -> bool:
    """Import a package if it is installed; all trials share the import."""
    if importlib.util.find_spec(package) is None:
        return False
    importlib.import_module(package)
    return True


def _in_child(architecture: Architecture, options: argparse.Namespace) -> trial.Result:
    """Run a trial in a child process, which isolates memory, settings and crashes."""
    ours, theirs = _FORK.Pipe(duplex=False)
    child = _FORK.Process(target=_send, args=(architecture, options, theirs))
    child.start()
    theirs.close()
    try:
        if ours.poll(options.seconds):
            return ours.recv()
        why = f"took more than {options.seconds:.0f} s"
    except EOFError:
        child.join()
        why = f"the process ended with {child.exitcode}"
    finally:
        child.kill()
        child.join()
    return trial.Result(trial.Outcome.COMPILER, why)


def _send(architecture: Architecture, options: argparse.Namespace, connection: Connection) -> None:
    connection.send(trial.attempt(architecture.make, _LOWER[options.backend], options.tolerance))
    connection.close()


def _done(results: Path | None) -> set[str]:
    if results is None or not results.exists():
        return set()
    return {json.loads(line)["name"] for line in results.read_text(encoding="utf-8").splitlines()}


def _try(architecture: Architecture, options: argparse.Namespace) -> trial.Outcome:
    start = time.monotonic()
    result = _in_child(architecture, options)
    line = {"name": str(architecture), **dataclasses.asdict(result), "outcome": result.outcome.name}
    error = "" if result.error is None else f"{result.error:.1e}"
    seconds = time.monotonic() - start
    print(f"{result.outcome.name:8s} {error:8s} {architecture}, {seconds:.0f} s {result.why[-600:]}", flush=True)
    if options.results is not None:
        with options.results.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
    return result.outcome


def main() -> int:
    options = _options()
    if options.packages is not None:
        sys.path.append(str(options.packages))
    warnings.filterwarnings("ignore")
    torch._logging.set_logs(all=logging.CRITICAL)
    torch.set_num_threads(1)
    torchvision_operators.provide()
    done = _done(options.results)
    counts = collections.Counter(
        _try(architecture, options) for architecture in _chosen(options.words) if str(architecture) not in done
    )
    for outcome, count in counts.items():
        print(f"{count:4d} {outcome.value}")
    return int(set(counts) > {trial.Outcome.MATCHES})


if __name__ == "__main__":
    sys.exit(main())
