"""Tests that each network of a published family is one delegate."""

import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim

from backends.cpu.compiler.testing import networks
from backends.cpu.compiler.testing.compare import assert_computes, assert_keeps


def _tokens(count: int) -> Tensor:
    return torch.randint(0, networks.WORDS, (1, count))


@pytest.fixture(autouse=True)
def _seeded() -> None:
    torch.manual_seed(0)


def test_decoder_that_computes_its_masks() -> None:
    assert_computes(networks.Decoder(cached=False).eval(), _tokens(7))


def test_decoder_with_a_dynamic_number_of_tokens() -> None:
    others = [(_tokens(count),) for count in (3, 12)]
    shapes = ({1: Dim("n", min=3, max=12)},)
    assert_computes(networks.Decoder(cached=False).eval(), _tokens(7), dynamic_shapes=shapes, others=others)


def test_a_decoder_with_a_cache() -> None:
    calls = [(_tokens(1), torch.tensor([at])) for at in range(3)]
    assert_keeps(networks.Decoder(cached=True).eval(), *calls)


def test_decoder_with_a_cache_and_a_dynamic_number_of_tokens() -> None:
    n = Dim("n", min=2, max=12)
    calls = [(_tokens(5), torch.arange(5)), (_tokens(2), torch.arange(5, 7))]
    assert_keeps(networks.Decoder(cached=True).eval(), *calls, dynamic_shapes=({1: n}, {0: n}))


@pytest.mark.parametrize("dynamic", [False, True])
def test_an_encoder(dynamic: bool) -> None:
    n = Dim("n", min=2, max=12)
    shapes = ({1: n}, {1: n}) if dynamic else None
    kept = torch.tensor([[1, 1, 1, 1, 0, 0]])
    assert_computes(networks.Encoder().eval(), _tokens(6), kept, dynamic_shapes=shapes, tolerance=1e-4)


@pytest.mark.parametrize(
    ("module", "x"),
    [
        (networks.VisionTransformer(), torch.randn(2, 3, 16, 16)),
        (networks.ConvNeXtBlock(), torch.randn(1, 8, 9, 11)),
        (networks.StandardizedBlock(), torch.randn(1, 8, 9, 11)),
    ],
)
def test_image_networks(module: nn.Module, x: Tensor) -> None:
    batch = Dim("n", min=1, max=4)
    assert_computes(module.eval(), x, tolerance=1e-4)
    others = [(torch.cat([x] * 4)[:count],) for count in (1, 4)]
    images = torch.cat([x] * 4)[:3]
    assert_computes(module.eval(), images, dynamic_shapes=({0: batch},), others=others, tolerance=1e-4)
