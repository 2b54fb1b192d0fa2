"""Compiles random networks by seed, and compares their results with eager PyTorch.

./bazelw run //tests/random_networks -- --first SEED [--count N] [--backend kernels|cpu] [--reduce] [--source]
"""

from __future__ import annotations

import argparse
import collections
import logging
import sys
import time
import warnings
from collections.abc import Sequence
from dataclasses import replace

import torch

from tests.random_networks.comparison import BACKENDS, Outcome, Result, compare
from tests.random_networks.generator import RECIPES, random_network
from tests.random_networks.isolated import ProcessEnded, run_isolated
from tests.random_networks.network import Network
from tests.random_networks.reduce import reduce_network


def _options(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="random_networks", description=__doc__)
    parser.add_argument("--first", type=int, default=0, help="seed of the first network")
    parser.add_argument("--count", type=int, default=1, help="number of networks, with consecutive seeds")
    parser.add_argument("--backend", choices=BACKENDS, action="append", help="backend to compile for (default: both)")
    parser.add_argument(
        "--recipe",
        choices=("none", *RECIPES),
        help="recipe for all networks, instead of the seed's; none: do not quantize",
    )
    parser.add_argument("--seconds", type=float, default=300, help="limit of CPU time for each network")
    parser.add_argument("--source", action="store_true", help="print each network")
    parser.add_argument("--reduce", action="store_true", help="reduce findings before they are printed")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    """Return the exit code: 1 if there is a finding."""
    options = _options(argv)
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    torch.set_num_threads(1)
    counts: collections.Counter[Outcome] = collections.Counter()
    refusals: collections.Counter[str] = collections.Counter()
    begun = time.monotonic()
    for seed in range(options.first, options.first + options.count):
        network = random_network(seed)
        if options.recipe is not None:
            network = replace(network, recipe="" if options.recipe == "none" else options.recipe)
        if options.source:
            print(described(network), flush=True)
        backends = options.backend or BACKENDS
        for backend, result in zip(backends, _attempts(network, backends, options.seconds), strict=True):
            counts[result.outcome] += 1
            if result.outcome in (Outcome.NOT_EXPORTED, Outcome.NOT_QUANTIZED):
                refusals[result.why.splitlines()[0][:100]] += 1
            if result.outcome.is_a_finding:
                print(finding(network, backend, result), flush=True)
                if options.reduce:
                    _print_reduced(network, backend, options.seconds)
    summary = ", ".join(f"{counts[outcome]} {outcome.name.lower()}" for outcome in Outcome if counts[outcome])
    print(f"{options.count} networks: {summary}; {time.monotonic() - begun:.0f} s")
    for reason, count in refusals.most_common():
        print(f"  {count} not compared: {reason}")
    return int(any(outcome.is_a_finding for outcome in counts))


def _attempts(network: Network, backends: Sequence[str], seconds: float) -> list[Result]:
    """Return the result on each backend; the network is exported only once."""
    try:
        return run_isolated(lambda: [compare(network, backend) for backend in backends], seconds)
    except ProcessEnded as ended:
        return [Result(Outcome.CRASHED, str(ended))] * len(backends)


def _attempt(network: Network, backend: str, seconds: float) -> Result:
    return _attempts(network, [backend], seconds)[0]


def _print_reduced(network: Network, backend: str, seconds: float) -> None:
    small = reduce_network(network, lambda smaller: _attempt(smaller, backend, seconds).outcome)
    print("reduced to:\n" + finding(small, backend, _attempt(small, backend, seconds)), flush=True)


def described(network: Network) -> str:
    """Return the source of a network, and its other properties."""
    order = ", channels last" if network.channels_last else ""
    ranges = [f"dimension {dimension}: {varying}" for dimension, varying in network.dynamic]
    ranges += [f"n: {network.number}"] if network.number else []
    dynamic = "".join(f", {bounds}" for bounds in ranges)
    recipe = f", {network.recipe}" if network.recipe else ""
    return (
        f"seed {network.seed}: input {network.dtype}{list(network.shape)}{order}{dynamic}{recipe}\n{network.source()}"
    )


def finding(network: Network, backend: str, result: Result) -> str:
    """Return the report of a finding."""
    return f"== {backend}: {result.outcome.value}: {result.why}\n{described(network)}"


if __name__ == "__main__":
    sys.exit(main())
