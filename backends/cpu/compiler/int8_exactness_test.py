"""Tests that int8 ops agree with exactly evaluated quantized operators."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from backends.cpu.compiler.compile import compile_partition
from backends.cpu.compiler.options import Options
from backends.cpu.compiler.testing.compare import delegated, specs
from backends.cpu.compiler.testing.interpreter import run_payload
from backends.cpu.schema.declarations import OpSpec
from exir.testing.quantized import Affine, Layer, Recipe

# Distance from a tie, in quantization steps, below which float32 may round either way.
_TIE = 1e-4

IMAGE = (2, 12, 9, 11)
RECIPES = [Recipe(), Recipe(torch.uint8), Recipe(per_channel=False)]


class Doubles(TorchFunctionMode):
    """Evaluate all operators in float64."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if "quantized_decomposed" in str(func):
            return func(*args, **(kwargs or {}))
        doubles = [each.double() if _is_float(each) else each for each in args]
        return func(*doubles, **(kwargs or {}))


@pytest.fixture(autouse=True)
def _same_numbers_each_time() -> None:
    torch.manual_seed(0)


def _is_float(value: object) -> bool:
    return isinstance(value, Tensor) and value.dtype == torch.float32


class Between(nn.Module):
    """A function of quantized tensors, each with its own quantization parameters.

    `last` quantizes the result.
    """

    def __init__(self, function: Callable[..., Tensor], inputs: Sequence[Tensor], recipe: Recipe) -> None:
        super().__init__()
        self.function = function
        self.before = nn.ModuleList(Affine(each, recipe.dtype) for each in inputs)
        with torch.no_grad():
            self.last = Affine(self.numbers(*inputs), recipe.dtype)

    def numbers(self, *inputs: Tensor) -> Tensor:
        """Return the result before quantization."""
        return self.function(*(affine(each) for affine, each in zip(self.before, inputs)))

    def exact(self, *inputs: Tensor) -> Tensor:
        """Return the result before quantization, computed in float64."""
        given = [affine(each) for affine, each in zip(self.before, inputs)]
        with Doubles():
            return self.function(*given)

    def forward(self, *inputs: Tensor) -> Tensor:
        return self.last(self.numbers(*inputs))


def found_and_expected(network: Between, inputs: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """Return the results of the payload and of the network.

    The unit is the quantization step of the last tensor.
    """
    payload = compile_partition(delegated(network, inputs), Options())
    (found,) = run_payload(payload.data, payload.named, inputs)
    with torch.no_grad():
        return (found / network.last.scale).round(), (network(*inputs) / network.last.scale).round()


def assert_exact(network: Between, *inputs: Tensor) -> None:
    """Assert that results are exact.

    If the exact result is a tie, results can differ by one quantization step.
    """
    found, expected = found_and_expected(network, inputs)
    assert torch.unique(expected).numel() > 5
    assert (found - expected).abs().max() <= 1
    with torch.no_grad():
        steps = network.exact(*inputs) / network.last.scale
    low, high = (code - network.last.zero_point for code in network.last.codes)
    is_tie = (steps - steps.floor() - 0.5).abs() < _TIE
    assert is_tie.float().mean() < 0.5
    exact = steps.round().clamp(low, high).float()
    assert torch.equal(found[~is_tie], exact[~is_tie])


def kinds(network: nn.Module, *inputs: Tensor) -> set[str]:
    return _kinds(network, *inputs)


def _kinds(network: nn.Module, *inputs: Tensor, **options: str) -> set[str]:
    ignored = {"Quantize", "Dequantize", "Permute"}
    return {_name(each) for each in specs(network, *inputs, **options)} - ignored


def _run(network: nn.Module, *inputs: Tensor, **options: Any) -> Tensor:
    payload = compile_partition(delegated(network, inputs), Options(**options))
    (found,) = run_payload(payload.data, payload.named, inputs)
    return found


def _name(spec: OpSpec) -> str:
    return type(spec).__name__


WEIGHTED: dict[str, tuple[Callable[[], nn.Conv2d | nn.Linear], str]] = {
    "point": (lambda: nn.Conv2d(12, 20, 1), "ConvQs8"),
    "window": (lambda: nn.Conv2d(12, 20, 3, stride=2, padding=1, bias=False), "ConvQs8"),
    "groups": (lambda: nn.Conv2d(12, 18, (3, 2), padding=(2, 1), dilation=2, groups=3), "ConvQs8"),
    "depthwise": (lambda: nn.Conv2d(12, 12, 3, padding=1, groups=12), "DwconvQs8"),
    "depthwise with stride": (lambda: nn.Conv2d(12, 12, 5, padding=2, stride=2, groups=12), "DwconvQs8"),
    "linear": (lambda: nn.Linear(11, 30), "ConvQs8"),
}


@pytest.mark.parametrize("recipe", RECIPES, ids=str)
@pytest.mark.parametrize("name", WEIGHTED)
def test_weighted_sums_are_exact(name: str, recipe: Recipe) -> None:
    make, kind = WEIGHTED[name]
    x = torch.randn(IMAGE) + 0.4
    for activation in (nn.Identity(), nn.ReLU6()):
        network = Between(nn.Sequential(Layer(make(), recipe.per_channel), activation), [x], recipe)
        assert kinds(network, x) == {kind}
        assert_exact(network, x)


@pytest.mark.parametrize("recipe", RECIPES, ids=str)
@pytest.mark.parametrize("channels", [32, 96])
def test_int8_winograd_equals_direct_convolution(channels: int, recipe: Recipe) -> None:
    x = torch.randn(2, channels, 9, 11) + 0.4
    convolution = Layer(nn.Conv2d(channels, 48, 3, padding=(1, 2)), recipe.per_channel)
    network = Between(nn.Sequential(convolution, nn.ReLU6()), [x], recipe)
    tiles, windows = (_run(network, x, winograd=winograd) for winograd in ("always", "auto"))
    assert _kinds(network, x, winograd="always") == {"WinogradQs8"}
    assert torch.unique(windows).numel() > 5
    assert torch.equal(tiles, windows)


@pytest.mark.parametrize(
    "layer",
    [
        nn.Conv2d(32, 32, 3, stride=2),
        nn.Conv2d(32, 32, 3, dilation=2),
        nn.Conv2d(32, 32, 3, groups=2),
        nn.Conv2d(32, 32, (3, 5)),
        nn.Conv2d(48, 32, 3),
        nn.Conv2d(256, 32, 3),
        nn.Conv2d(32, 40, 3),
    ],
    ids=str,
)
def test_int8_convolutions_that_winograd_does_not_support_stay_direct(layer: nn.Conv2d) -> None:
    x = torch.randn(1, layer.in_channels, 9, 11)
    assert _kinds(Between(Layer(layer, True), [x], Recipe()), x, winograd="always") == {"ConvQs8"}


ELEMENTWISE: dict[str, tuple[Callable[..., Tensor], str]] = {
    "sum": (torch.add, "BinaryQs8"),
    "clamped sum": (lambda a, b: F.relu(a + b), "BinaryQs8"),
    "product": (torch.mul, "BinaryQs8"),
}


@pytest.mark.parametrize("recipe", RECIPES[:2], ids=str)
@pytest.mark.parametrize("name", ELEMENTWISE)
def test_sums_and_products_of_two_tensors_are_exact(name: str, recipe: Recipe) -> None:
    function, kind = ELEMENTWISE[name]
    x, y = torch.randn(IMAGE), 3 * torch.randn(IMAGE) + 1
    network = Between(function, [x, y], recipe)
    assert kinds(network, x, y) == {kind}
    assert_exact(network, x, y)


def test_int8_images_are_scaled_per_channel() -> None:
    x = torch.randn(1, 12, 9, 11).contiguous(memory_format=torch.channels_last)
    y = torch.rand(1, 12, 1, 1)
    for inputs in ((x, y), (y, x)):
        network = Between(torch.mul, inputs, Recipe())
        assert kinds(network, *inputs) == {"BinaryQs8"}
        assert_exact(network, *inputs)


POOLED: dict[str, Callable[[Tensor], Tensor]] = {
    "mean": lambda x: x.mean((2, 3)),
    "global": lambda x: F.adaptive_avg_pool2d(x, 1),
    "average": lambda x: F.avg_pool2d(x, 3, 2, 1),
    "average without padding": lambda x: F.avg_pool2d(x, (2, 3), 1, 1, count_include_pad=False),
    "divided": lambda x: F.avg_pool2d(x, 2, divisor_override=3),
    "maximum": lambda x: F.max_pool2d(x, 3, 2, 1),
    "dilated maximum": lambda x: F.max_pool2d(x, 2, 1, 0, 3),
}


@pytest.mark.parametrize("recipe", RECIPES[:2], ids=str)
@pytest.mark.parametrize("name", POOLED)
def test_pooling_is_exact(name: str, recipe: Recipe) -> None:
    x = torch.randn(IMAGE) + 0.3
    network = Between(POOLED[name], [x], recipe)
    assert kinds(network, x) == {"PoolQs8"}
    assert_exact(network, x)


FUNCTIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "hardswish": F.hardswish,
    "hardsigmoid": F.hardsigmoid,
    "sigmoid": torch.sigmoid,
    "silu": F.silu,
    "gelu": F.gelu,
    "relu": F.relu,
    "scaled": lambda x: x * 0.7 + 0.1,
    "times its tanh": lambda x: x * torch.tanh(x),
}


@pytest.mark.parametrize("recipe", RECIPES[:2], ids=str)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_unary_functions_of_int8_are_lookup_tables(name: str, recipe: Recipe) -> None:
    x = 3 * torch.randn(IMAGE)
    network = Between(FUNCTIONS[name], [x], recipe)
    assert kinds(network, x) <= {"LutQs8"}
    found, expected = found_and_expected(network, [x])
    assert torch.unique(expected).numel() > 5
    assert torch.equal(found, expected)


def test_moving_int8_values_does_not_requantize_them() -> None:
    x, y = torch.randn(IMAGE), 3 * torch.randn(IMAGE)
    network = Between(lambda a, b: torch.cat([a, b, a], 1), [x, y], Recipe())
    assert kinds(network, x, y) <= {"LutQs8", "Copy"}
    assert_exact(network, x, y)
