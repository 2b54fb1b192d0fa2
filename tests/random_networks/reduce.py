"""Reduces a network that fails to a smaller one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tests.random_networks.comparison import Outcome
from tests.random_networks.network import Network


def reduce_network(network: Network, outcome: Callable[[Network], Outcome]) -> Network:
    """Remove parts of `network`, one after another, while `outcome` is unchanged."""
    wanted = outcome(network)
    while True:
        smaller = next(
            (candidate for candidate in _smaller(network) if candidate != network and outcome(candidate) is wanted),
            None,
        )
        if smaller is None:
            return network
        network = smaller


def _smaller(network: Network) -> list[Network]:
    """Return networks with one part removed."""
    found = [network.without(number) for number in range(len(network.steps), 0, -1)]
    if len(network.outputs) > 1:
        found += [replace(network, outputs=(output,)) for output in network.outputs]
    found += [
        replace(network, dynamic=tuple(e for e in network.dynamic if e != varying)) for varying in network.dynamic
    ]
    if network.number is not None:
        found += [replace(network, number=None), replace(network, number=network.number.fixed())]
    if network.recipe:
        found.append(replace(network, recipe=""))
    if network.channels_last:
        found.append(replace(network, channels_last=False))
    return found
