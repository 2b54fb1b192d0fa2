"""Tests that zero padding before quantize is folded into int8 convolutions."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from backends.cpu.compiler.compile import compile_partition
from backends.cpu.compiler.options import Options
from backends.cpu.compiler.testing.compare import delegated, specs
from backends.cpu.compiler.testing.interpreter import run_payload
from backends.cpu.schema.convolution import ConvQs8, DwconvQs8
from backends.cpu.schema.cost_model import PLANAR_MAX_CHANNELS
from exir.testing.quantized import Affine, Layer, Recipe

_RECIPES = [Recipe(), Recipe(torch.uint8)]


def _run(network: nn.Module, x: Tensor) -> Tensor:
    payload = compile_partition(delegated(network, (x,)), Options())
    (found,) = run_payload(payload.data, payload.named, [x])
    return found


def _affine(module: nn.Module, x: Tensor, dtype: torch.dtype) -> tuple[nn.Sequential, Tensor]:
    """Return `module` followed by quantization, and the quantized result for x."""
    with torch.no_grad():
        last = Affine(module(x), dtype)
        return nn.Sequential(module, last), last(module(x))


def _networks(layer: nn.Conv2d, recipe: Recipe, pads: tuple[int, int, int, int]) -> tuple[nn.Module, nn.Module, Tensor]:
    """Return networks that pad before and after quantization, and their input.

    Both have the same quantization parameters.
    """
    channels = layer.in_channels
    x = torch.randn(2, channels, 9, 12) + 0.4
    before: nn.Module = Affine(x, recipe.dtype)
    if channels > PLANAR_MAX_CHANNELS:  # the output of a layer is NHWC
        before, _ = _affine(nn.Sequential(before, Layer(nn.Conv2d(channels, channels, 1), True)), x, recipe.dtype)
    again = Affine(before(x), recipe.dtype)
    weighted = Layer(layer, recipe.per_channel)
    network, _ = _affine(nn.Sequential(before, nn.ZeroPad2d(pads), again, weighted), x, recipe.dtype)
    return network, nn.Sequential(before, again, nn.ZeroPad2d(pads), weighted, network[-1]), x


@pytest.mark.parametrize("recipe", _RECIPES, ids=str)
@pytest.mark.parametrize(
    "make",
    [
        lambda: nn.Conv2d(3, 20, 3, stride=2),
        lambda: nn.Conv2d(12, 20, 3, stride=2, padding=1),
        lambda: nn.Conv2d(12, 20, (1, 3), groups=2),
        lambda: nn.Conv2d(16, 16, 3, stride=2, groups=16),
    ],
    ids=["planar", "padded", "groups", "depthwise"],
)
def test_int8_padding_ops_fold_into_the_window(make: Callable[[], nn.Conv2d], recipe: Recipe) -> None:
    torch.manual_seed(0)
    layer = make()
    network, inner, x = _networks(layer, recipe, (0, 1, 2, 1))
    *_, window = (each for each in specs(network, x) if isinstance(each, (ConvQs8, DwconvQs8)))
    assert not isinstance(layer.padding, str)
    height, width = layer.padding
    assert window.window.padding == (2 + height, width, 1 + height, 1 + width)
    assert "Copy" not in {type(each).__name__ for each in specs(network, x)}
    found = _run(network, x)
    assert torch.unique(found).numel() > 10
    assert torch.equal(found, _run(inner, x))


@pytest.mark.parametrize("pads", [(1, 1, 1, 1, 0, 1), (1, 1, 1, 1, 1, 0)], ids=["after", "before"])
def test_padding_of_channels_is_not_folded(pads: tuple[int, int, int, int, int, int]) -> None:
    torch.manual_seed(0)
    x = torch.randn(1, 3, 6, 6)
    padding = nn.ConstantPad3d(pads, 0.0)  # of channels, height and width
    module = nn.Sequential(Affine(x, torch.int8), padding, Affine(x, torch.int8), Layer(nn.Conv2d(4, 8, 3), True))
    network, _ = _affine(module, x, torch.int8)
    (window,) = (each for each in specs(network, x) if isinstance(each, ConvQs8))
    assert window.window.padding == (0, 0, 0, 0)
    with torch.no_grad():
        torch.testing.assert_close(_run(network, x), network(x))


@pytest.mark.parametrize("value", [1.0, -0.5])
def test_nonzero_padding_is_not_folded(value: float) -> None:
    x = torch.randn(1, 4, 6, 6)
    module = nn.Sequential(
        Affine(x, torch.int8), nn.ConstantPad2d(1, value), Affine(x, torch.int8), Layer(nn.Conv2d(4, 8, 3), True)
    )
    network, _ = _affine(module, x, torch.int8)
    assert "Copy" in {type(each).__name__ for each in specs(network, x)}


def test_zero_padding_with_other_readers_is_not_folded() -> None:
    class Both(nn.Module):
        def __init__(self, x: Tensor) -> None:
            super().__init__()
            self.first, self.again = Affine(x, torch.int8), Affine(x, torch.int8)
            self.layer = Layer(nn.Conv2d(4, 8, 3), True)

        def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
            padded = self.again(nn.functional.pad(self.first(x), (1, 1, 1, 1)))
            return self.layer(padded), padded

    x = torch.randn(1, 4, 6, 6)
    assert "Copy" in {type(each).__name__ for each in specs(Both(x), x)}
