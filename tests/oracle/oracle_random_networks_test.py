"""Compares random networks, lowered for XNNPACK, with the official runtime."""

# Import this first: it loads the official runtime, whose operators must precede those of this compiler.
from tests.random_networks.xnnpack import MODES, compare_official  # isort: skip
import pytest

from tests.random_networks.comparison import Outcome
from tests.random_networks.generator import plain_network
from tests.random_networks.main import finding


# One network for each mode, among those that the official exporter and runtime support.
@pytest.mark.parametrize("seed", [5, 1, 2, 3, 14])
def test_random_xnnpack_program_matches_the_official_runtime(seed: int) -> None:
    network, mode = plain_network(seed), MODES[seed % len(MODES)]
    result = compare_official(network, mode)
    assert result.outcome is Outcome.MATCHES, finding(network, mode, result)
