"""Tests that quantized networks are lowered to int8 ops."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from backends.cpu.compiler.compile import compile_partition
from backends.cpu.compiler.options import Options
from backends.cpu.compiler.testing.compare import delegated, specs
from backends.cpu.compiler.testing.interpreter import run_payload
from backends.cpu.schema.convolution import ConvQs8, DwconvQs8
from exir.testing import quantized
from exir.testing.quantized import Affine, Recipe

RECIPES = [Recipe(), Recipe(torch.uint8), Recipe(per_channel=False)]


def kinds(module: nn.Module, x: Tensor) -> list[str]:
    return [type(each).__name__ for each in specs(module, x)]


def assert_within_one_op(network: nn.Sequential, x: Tensor) -> None:
    last = network[-1]
    assert isinstance(last, Affine)
    payload = compile_partition(delegated(network, (x,)), Options())
    (found,) = run_payload(payload.data, payload.named, [x])
    with torch.no_grad():
        expected = network(x)
    assert torch.unique(expected).numel() > 10
    steps = ((found - expected) / last.scale).round()
    assert steps.abs().max() <= 1
    assert steps.count_nonzero() <= 0.01 * steps.numel() + 1


@pytest.mark.parametrize("recipe", RECIPES, ids=str)
@pytest.mark.parametrize("make", [quantized.mlp, quantized.cnn])
def test_int8_results_equal_those_of_the_network(
    make: Callable[[], tuple[nn.Sequential, Tensor]], recipe: Recipe
) -> None:
    network, x = make()
    assert_within_one_op(quantized.quantized(network, x, recipe), x)


@pytest.mark.parametrize(
    "layer",
    [
        nn.Conv3d(4, 6, (1, 3, 3), padding=(0, 1, 1)),
        nn.Conv3d(4, 6, 1),
        nn.Conv3d(4, 8, (1, 3, 3), groups=2),
        nn.Conv3d(4, 8, (1, 3, 3), groups=4),
        nn.Conv3d(4, 6, 3, padding=1),
    ],
)
def test_convolutions_of_int8_volumes(layer: nn.Conv3d) -> None:
    x = torch.randn(1, 4, 3, 6, 6)
    assert_within_one_op(quantized.quantized(nn.Sequential(layer), x), x)


def test_linear_layers_are_int8_ops() -> None:
    network, x = quantized.mlp()
    network = quantized.quantized(network, x)
    assert kinds(network, x) == ["Quantize", *3 * ["ConvQs8"], "Dequantize"]


@pytest.mark.parametrize(("zero_point", "axis"), [(3, 0), (0, 1)])
def test_linear_layer_with_unusual_int8_weight_quantization_is_exact(zero_point: int, axis: int) -> None:
    class Linear(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("codes", torch.randint(-127, 128, (16, 16), dtype=torch.int8))
            self.register_buffer("scales", torch.rand(16) * 0.01 + 0.01)
            self.register_buffer("zero_points", torch.full((16,), zero_point))

        def forward(self, x: Tensor) -> Tensor:
            weight = torch.ops.quantized_decomposed.dequantize_per_channel(
                self.codes, self.scales, self.zero_points, axis, -127, 127, torch.int8
            )
            return nn.functional.linear(x, weight)

    torch.manual_seed(0)
    x, linear = torch.randn(8, 16), Linear()
    assert_within_one_op(nn.Sequential(Affine(x, torch.int8), linear, Affine(linear(x), torch.int8)), x)


@pytest.mark.parametrize(("layer", "fits"), [(nn.Conv2d(4096, 4, 2), True), (nn.Conv2d(2048, 4, 3), False)])
def test_int8_convolution_window_size_is_limited(layer: nn.Conv2d, fits: bool) -> None:
    x = torch.randn(1, layer.in_channels, 4, 4)
    network = quantized.quantized(nn.Sequential(nn.ReLU(), layer), x)
    assert ("ConvQs8" in kinds(network, x)) == fits


def test_no_float_op_remains() -> None:
    network, x = quantized.cnn()
    network = quantized.quantized(network, x)
    block = ["ConvQs8", "DwconvQs8", "ConvQs8", "BinaryQs8"]
    pooled = ["PoolQs8", "ConvQs8", "Dequantize"]
    assert kinds(network, x) == ["Quantize", "Permute", "ConvQs8", *block, "ConvQs8", *pooled]


def test_clamps_become_bounds_of_int8_values() -> None:
    layer = nn.Sequential(nn.Linear(4, 4), nn.ReLU6())
    network = quantized.quantized(layer, torch.randn(3, 4) * 9)
    (op,) = (each for each in specs(network, torch.randn(3, 4)) if isinstance(each, ConvQs8))
    output = network[-1]
    assert op.output_quantization.low == output.zero_point
    assert op.output_quantization.high == min(127, output.zero_point + round(6 / output.scale))


class _Map(nn.Module):
    def __init__(self, function: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self._function = function

    def forward(self, x: Tensor) -> Tensor:
        return self._function(x)


@pytest.mark.parametrize("layers", [[nn.Identity()], [nn.Conv2d(2, 2, 1)], [nn.Conv2d(2, 2, 3, groups=2)]])
def test_later_bounds_of_int8_values_win(layers: list[nn.Module]) -> None:
    """All values that the first function writes are outside the bounds of the second."""
    x = torch.linspace(-2.0, 2.0, 50).reshape(1, 2, 5, 5)
    network = nn.Sequential(*layers, _Map(lambda y: y * 0.0), _Map(lambda y: y + 1.0))
    network = quantized.quantized(network, x)
    payload = compile_partition(delegated(network, (x,)), Options())
    (found,) = run_payload(payload.data, payload.named, [x])
    torch.testing.assert_close(found, torch.ones_like(found))


def test_clamp_of_int8_values_with_other_readers_remains() -> None:
    class Both(nn.Module):
        def __init__(self, x: Tensor) -> None:
            super().__init__()
            self.steps = Affine(x, torch.int8)

        def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
            y = self.steps(x)
            return y, self.steps(y.relu())

    x = torch.randn(4, 6)
    payload = compile_partition(delegated(Both(x), (x,)), Options())
    assert kinds(Both(x), x) == ["Quantize", "Dequantize", "LutQs8", "Dequantize"]
    found = run_payload(payload.data, payload.named, [x])
    torch.testing.assert_close(found, list(Both(x)(x)))


def test_small_weights_allow_int16_sums() -> None:
    """Products of full-range inputs and small weights can be added in int16.

    Two products fit with weights of 64, and four with weights of 32.
    """
    for largest, together in ((65, 0), (64, 1), (33, 1), (32, 2), (8, 8)):
        network = quantized.quantized(nn.Sequential(nn.Linear(40, 4)), torch.randn(3, 40))
        network.get_buffer("1.0.weight.codes").fill_(largest)
        (op,) = (each for each in specs(network, torch.randn(3, 40)) if isinstance(each, ConvQs8))
        assert op.max_exact_terms == together


def test_small_depthwise_weights_allow_int16_sums() -> None:
    """Each kernel column of 3 x 3 taps is a quad.

    One half of the quad has rows 0 and 1, the other has row 2.
    """
    for largest, together in ((65, 0), (64, 1), (33, 1), (32, 2), (22, 2), (21, 16)):
        layer = nn.Conv2d(8, 8, 3, groups=8)
        network = quantized.quantized(nn.Sequential(layer), torch.randn(1, 8, 5, 5))
        network.get_buffer("1.0.weight.codes").fill_(largest)
        (op,) = (each for each in specs(network, torch.randn(1, 8, 5, 5)) if isinstance(each, DwconvQs8))
        assert op.max_exact_terms == together


def test_clamped_int8_inputs_allow_larger_weights() -> None:
    """The clamp leaves 85 of 255 steps, and 85 * (127 + 127) fits in an int16."""
    network = quantized.quantized(nn.Sequential(nn.Linear(8, 8), nn.ReLU6(), nn.Linear(8, 4)), torch.randn(3, 8))
    clamped: Any = network[2]
    clamped.scale, clamped.zero_point = 6 / 85, -40
    network.get_buffer("3.0.weight.codes").fill_(127)
    _, second = (each for each in specs(network, torch.randn(3, 8)) if isinstance(each, ConvQs8))
    assert second.max_exact_terms == 1 and second.min_value == -40


def test_floats_with_other_readers_are_kept() -> None:
    class Twice(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = quantized.Layer(nn.Linear(4, 4), per_channel=True)
            self.before, self.after = Affine(torch.randn(9), torch.int8), Affine(torch.randn(9), torch.int8)

        def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
            y = self.body(self.before(x))
            return y, self.after(y)

    assert kinds(Twice(), torch.randn(2, 4)) == ["Quantize", "Dequantize", "GemmF32", "Quantize", "Dequantize"]


@pytest.mark.parametrize("function", [torch.sub, torch.maximum, lambda a, b: a * b + a])
def test_unsupported_functions_of_two_int8_tensors_stay_float(function: Callable[[Tensor, Tensor], Tensor]) -> None:
    class Between(nn.Module):
        def __init__(self, x: Tensor) -> None:
            super().__init__()
            self.first, self.second, self.last = (Affine(x * factor, torch.int8) for factor in (1, 2, 4))

        def forward(self, x: Tensor) -> Tensor:
            return self.last(function(self.first(x), self.second(x * 2)))

    x = torch.randn(4, 6)
    assert "BinaryQs8" not in kinds(Between(x), x)
    payload = compile_partition(delegated(Between(x), (x,)), Options())
    (found,) = run_payload(payload.data, payload.named, [x])
    torch.testing.assert_close(found, Between(x)(x), rtol=0.0, atol=1.01 * Between(x).last.scale)


def test_int8_values_between_a_layer_and_its_clamp_stay_int8() -> None:
    """The result has the coarse steps of the intermediate quantization, as in PyTorch."""
    x = torch.randn(9, 8) * 90
    sums = quantized.quantized(nn.Sequential(nn.Linear(8, 8)), x)
    with torch.no_grad():
        network = nn.Sequential(*sums, nn.ReLU6(), Affine(sums(x).clamp(0, 6), torch.int8))
        levels = network(x).unique()
    assert levels.numel() <= 2 + 6 / float(sums.get_submodule("2").scale)
    assert kinds(network, x) == ["Quantize", "ConvQs8", "LutQs8", "Dequantize"]
    payload = compile_partition(delegated(network, (x,)), Options())
    (found,) = run_payload(payload.data, payload.named, [x])
    assert found.unique().tolist() == levels.tolist()
