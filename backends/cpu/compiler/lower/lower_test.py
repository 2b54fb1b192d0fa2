"""Tests of the examples of rules, and of operators without their own test module."""

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from backends.cpu.compiler.lower.rule import Example
from backends.cpu.compiler.lower.table import RULES
from backends.cpu.compiler.testing.compare import assert_computes, lowered, specs
from backends.cpu.schema.copies import Permute
from backends.cpu.schema.elementwise import ElementwiseF32, ElementwiseI64
from backends.cpu.schema.gemm import GemmF32
from backends.cpu.schema.pooling import PoolF32
from backends.cpu.schema.quantization import Cast
from exir.backend.utils import get_non_lowered_nodes

_EXAMPLES = [
    pytest.param(example, id=f"{operator}-{number}")
    for operator, rule in RULES.items()
    for number, example in enumerate(rule.examples)
]
_IMAGE = (2, 5, 6, 8)
_MATRIX = torch.arange(18.0).reshape(6, 3)
_ROW = torch.arange(7.0)


@pytest.mark.parametrize("example", _EXAMPLES)
def test_examples_of_rules_agree_with_pytorch(example: Example) -> None:
    torch.manual_seed(0)
    inputs = example.inputs()
    assert example.op in map(type, specs(example.function, *inputs))
    assert_computes(example.function, *inputs)


@pytest.mark.parametrize("to", [torch.float32, torch.int64, torch.int32, torch.bool])
@pytest.mark.parametrize("dtype", [torch.float32, torch.int64, torch.int32, torch.bool])
def test_casts_agree_with_pytorch(dtype: torch.dtype, to: torch.dtype) -> None:
    x = torch.tensor([0, 1, -3, 20_000_001]).to(dtype)
    assert_computes(lambda x: x[1:].to(to), x)


@pytest.mark.parametrize(
    "dtype, to, op",
    [
        (torch.int64, torch.int32, ElementwiseI64),
        (torch.int32, torch.int64, ElementwiseI64),
        (torch.int64, torch.float32, ElementwiseF32),
        (torch.float32, torch.int64, Cast),
    ],
)
def test_casts_between_integers_are_not_computed_in_float32(dtype: torch.dtype, to: torch.dtype, op: type) -> None:
    made = specs(lambda x: x[1:].to(to), torch.tensor([1, 20_000_001]).to(dtype))
    assert type(made[-1]) is op


def test_scatter_add_of_part_of_the_source_is_left_to_kernels() -> None:
    inputs = torch.randn(4, 3), torch.randint(0, 4, (5, 3)), torch.randn(6, 3)
    program = lowered(lambda x, index, source: x.scatter_add(0, index, source), inputs)
    assert get_non_lowered_nodes(program.graph)


@pytest.mark.parametrize(
    "module, shape",
    [
        (nn.Linear(6, 40), (3, 6)),
        (nn.Linear(6, 7, bias=False), (2, 4, 6)),
        (nn.Linear(6, 7), (6,)),
        (lambda x: torch.mm(x, _MATRIX), (2, 6)),
    ],
)
def test_linear_layers(module: Any, shape: tuple[int, ...]) -> None:
    assert_computes(module, torch.randn(shape))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.mean((2, 3)),
        lambda x: x.mean((-1, -2), keepdim=True),
        lambda x: F.adaptive_avg_pool2d(x, 1),
        lambda x: F.adaptive_avg_pool2d(x, (3, 2)),
        lambda x: F.avg_pool2d(x, 3, 2, 1),
        lambda x: F.avg_pool2d(x, (2, 3), 1, (1, 0), count_include_pad=False),
        lambda x: F.avg_pool2d(x, 2, divisor_override=3),
        lambda x: F.max_pool2d(x, 3, 2, 1),
        lambda x: F.max_pool2d(x, 2, 1, dilation=2),
        lambda x: F.max_pool2d(x, 3, 2, 1, ceil_mode=True),
        lambda x: F.avg_pool2d(x, (3, 4), 3, 1, ceil_mode=True, count_include_pad=False),
        lambda x: F.avg_pool2d(x, 4, 3, ceil_mode=True),
        lambda x: F.max_pool2d(x, 3, 2, 1, return_indices=True)[0],
        lambda x: F.max_pool1d(x.flatten(0, 1), 3, 2, 1, ceil_mode=True),
        lambda x: F.adaptive_max_pool2d(x, (3, 1)),
    ],
)
def test_pooling(function: Any) -> None:
    x = torch.randn(_IMAGE)
    assert [type(each) for each in specs(function, x) if not isinstance(each, Permute)] == [PoolF32]
    assert_computes(function, x)


@pytest.mark.parametrize(
    "function",
    [
        F.relu,
        F.relu6,
        F.hardtanh,
        F.gelu,
        lambda x: F.gelu(x, approximate="tanh"),
        F.silu,
        F.hardswish,
        torch.sigmoid,
        torch.tanh,
        F.hardsigmoid,
        lambda x: F.leaky_relu(x, 0.2),
        lambda x: F.elu(x, 0.5),
        lambda x: x.clamp(min=0.5),
        lambda x: x.clamp(max=0.5),
    ],
)
def test_activation_is_one_elementwise_op(function: Any) -> None:
    x = torch.randn(3, 7)
    (only,) = specs(function, x)
    assert isinstance(only, ElementwiseF32) and only.activation is not None
    assert_computes(function, x)


@pytest.mark.parametrize(
    "function",
    [torch.add, torch.sub, torch.mul, torch.div, torch.maximum, torch.minimum, lambda x, y: x.abs() ** y],
)
@pytest.mark.parametrize("shape", [(2, 3, 4, 5), (3, 1, 1), (1, 3, 4, 5), (5,), (2, 1, 1, 5)])
def test_two_tensors_are_broadcast(function: Any, shape: tuple[int, ...]) -> None:
    x, y = torch.randn(2, 3, 4, 5), torch.randn(shape).abs() + 1
    assert_computes(function, x, y)
    assert_computes(lambda x, y: function(F.avg_pool2d(x, 1), y), x, y)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: 2 - x,
        lambda x: x * 3 + 1,
        lambda x: x**2,
        lambda x: 1 / x,
        lambda x: torch.exp(-x).sqrt(),
        lambda x: x + _ROW,
    ],
)
def test_scalars_and_constants_as_operands(function: Any) -> None:
    assert_computes(function, torch.rand(3, 7) + 0.5)


def _two_orders(x: Tensor) -> tuple[Tensor, Tensor]:
    y = x.relu()
    return y, y.permute(3, 2, 1, 0)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.permute(0, 2, 3, 1).relu(),
        lambda x: x.transpose(1, 2).relu(),
        lambda x: x.flatten(1).relu(),
        lambda x: x.relu().reshape(2, 5, 2, 3, 8),
        lambda x: x.unsqueeze(1).relu().squeeze(1),
        lambda x: F.avg_pool2d(x, 1).flatten(2).transpose(1, 2),
        lambda x: F.avg_pool2d(x, 1).flatten(1),
        lambda x: F.avg_pool2d(x, 1).reshape(2, 5, 2, 3, 4, 2),
        lambda x: F.avg_pool2d(x, 1).reshape(10, 48),
        _two_orders,
    ],
)
def test_shapes(function: Any) -> None:
    assert_computes(function, torch.randn(_IMAGE))


def test_flattening_patches_to_rows_needs_no_op() -> None:
    """Conversion of images to tokens. Channels are innermost already."""
    made = specs(lambda x: F.avg_pool2d(x, 1).flatten(2).transpose(1, 2), torch.randn(_IMAGE))
    assert [type(each) for each in made] == [Permute, PoolF32]


def test_conversion_to_channels_last_needs_no_op() -> None:
    def function(x: Tensor) -> Tensor:
        return F.avg_pool2d(x.to(memory_format=torch.channels_last), 1).relu()

    x = torch.randn(_IMAGE)
    assert [type(each) for each in specs(function, x)] == [Permute, PoolF32, ElementwiseF32]
    assert_computes(function, x)


def test_inverse_permutations_need_no_op() -> None:
    made = specs(lambda x: x.permute(0, 2, 3, 1).relu().permute(0, 3, 1, 2), torch.randn(_IMAGE))
    assert [type(each) for each in made] == [ElementwiseF32]


def test_a_flattened_pixel_is_a_view() -> None:
    module = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(5, 3))
    made = specs(module, torch.randn(_IMAGE))
    assert [type(each) for each in made] == [Permute, PoolF32, GemmF32]
