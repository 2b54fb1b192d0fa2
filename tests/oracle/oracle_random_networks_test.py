"""Compares random networks, lowered for XNNPACK, with the official runtime."""

# Import this first: it loads the official runtime, whose operators must precede those of this compiler.
from tests.random_networks.xnnpack import MODES, compare_official  # isort: skip
import pytest

from tests.random_networks.generator import plain_network
from tests.random_networks.main import finding


@pytest.mark.parametrize("seed", range(len(MODES)))
def test_program_for_xnnpack_gives_what_it_gives_there(seed: int) -> None:
    network, mode = plain_network(seed), MODES[seed % len(MODES)]
    result = compare_official(network, mode)
    assert not result.outcome.is_a_finding, finding(network, mode, result)
