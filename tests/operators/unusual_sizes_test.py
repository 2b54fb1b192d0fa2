"""Tests that programs with unusual sizes and dtypes run on both backends.

The CPU backend's partitioner leaves unsupported nodes to kernels.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.export import Dim
from torch.utils import _pytree as pytree

from backends.cpu.compiler.partitioner import CpuPartitioner
from executorch_runtime import ExecutorchError, Program
from exir import to_edge_transform_and_lower

Function = Callable[..., Any]


class _Call(nn.Module):
    def __init__(self, function: Function) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: Tensor) -> Any:
        return self.function(*inputs)


def assert_runs(
    function: Function,
    *calls: Sequence[Tensor | int],
    dynamic_shapes: Any = None,
    refused: Sequence[Sequence[Tensor | int]] = (),
) -> None:
    """Assert that a function, exported for the first call, matches PyTorch.

    Each call in `refused` must raise an error.
    """
    for partitioners in ([], [CpuPartitioner()]):
        exported = torch.export.export(_Call(function), tuple(calls[0]), dynamic_shapes=dynamic_shapes)
        manager = to_edge_transform_and_lower(exported, partitioner=partitioners).to_executorch()
        with tempfile.NamedTemporaryFile(suffix=".pte") as file:
            manager.save(file.name)
            method = Program(Path(file.name)).method("forward")
        for inputs in calls:
            expected = pytree.tree_leaves(function(*inputs))
            for got, wanted in zip(method(*inputs), expected, strict=True):
                torch.testing.assert_close(got, wanted, atol=1e-4, rtol=1e-4)
        for inputs in refused:
            with pytest.raises(ExecutorchError):
                method(*inputs)


_W, _V = torch.randn(4, 16, 16), torch.randn(8, 16)
_AFTER_JOINING: dict[str, Function] = {
    "alone": lambda x: x,
    "mul": lambda x: x * torch.ones(8, 1),
    "add": lambda x: x + _V,
    "where": lambda x: torch.where(x > 0, x, _V),
    "clamp": lambda x: torch.clamp(x, min=_V),
    "mm": lambda x: _V.t() @ x,
    "bmm": lambda x: torch.bmm(_V.t()[None], x[None]),
    "addmm": lambda x: torch.addmm(_V, x, _W[0]),
    "linear": lambda x: F.linear(x, _W[1]),
    "cat": lambda x: torch.cat([x, _V], 1),
    "stack": lambda x: torch.stack([x, _V], 1),
    "layer_norm": lambda x: F.layer_norm(x, (16,)) + _V,
    "softmax": lambda x: x.softmax(0) * _V,
    "sum": lambda x: x.sum(0) + _V,
    "relu": lambda x: x.relu() - _V,
}


def _split(after: Function) -> Function:
    def split(x: Tensor, counts: Tensor) -> Tensor:
        sizes = counts.tolist()
        for size in sizes:
            torch._check(size >= 0)
            torch._check(size <= 8)
        torch._check(sum(sizes) == x.shape[0])
        parts = torch.split(x, sizes)
        return after(torch.cat([part @ _W[index] for index, part in enumerate(parts)]))

    return split


@pytest.mark.parametrize("name", _AFTER_JOINING)
def test_split_sizes_from_a_tensor_follow_eager(name: str) -> None:
    calls = [(torch.randn(8, 16), torch.tensor(counts)) for counts in ([3, 1, 4, 0], [8, 0, 0, 0], [2, 2, 2, 2])]
    assert_runs(_split(_AFTER_JOINING[name]), *calls)


_N = Dim("n", min=5, max=16)
_BY_SIZE: dict[str, tuple[Function, tuple[int, ...], int]] = {
    "clamp": (lambda x: x.clamp(max=x.shape[0] - 5), (6, 4), 0),
    "clamp of both": (lambda x: x.clamp(-x.shape[0], x.shape[0] / 16), (6, 4), 0),
    "elu": (lambda x: F.elu(x, x.shape[0]), (6, 4), 0),
    "leaky_relu": (lambda x: F.leaky_relu(x, x.shape[0]), (6, 4), 0),
    "hardtanh": (lambda x: F.hardtanh(x, -x.shape[0], x.shape[0]), (6, 4), 0),
    "add": (lambda x: x + x.shape[0], (6, 4), 0),
    "add with a factor": (lambda x: torch.add(x, x, alpha=x.shape[0]), (6, 4), 0),
    "addmv": (lambda x: torch.addmv(x[:, 0], x, torch.ones(4), beta=x.shape[0], alpha=x.shape[0]), (6, 4), 0),
    "mul": (lambda x: x * x.shape[0], (6, 4), 0),
    "division": (lambda x: x / x.shape[0], (6, 4), 0),
    "power": (lambda x: x.abs() ** x.shape[0], (6, 4), 0),
    "comparison": (lambda x: x * 9 > x.shape[0], (6, 4), 0),
    "masked_fill": (lambda x: x.masked_fill(x > 0, x.shape[0]), (6, 4), 0),
    "where": (lambda x: torch.where(x > 0, x, x.shape[0]), (6, 4), 0),
    "full": (lambda x: x + torch.full((4,), x.shape[0] * 0.5), (6, 4), 0),
    "pad": (lambda x: F.pad(x, (0, x.shape[0] - 5)), (6, 4), 0),
    "narrow": (lambda x: x.narrow(0, x.shape[0] - 5, 5), (6, 4), 0),
    "select": (lambda x: x[x.shape[0] - 2], (6, 4), 0),
    "quantile": (lambda x: x.quantile(0.5, 0), (6, 4), 0),
    "var": (lambda x: x.var(0), (6, 4), 0),
    "nearest by a fraction": (lambda x: F.interpolate(x, scale_factor=1.5, mode="nearest"), (1, 4, 6), 2),
    "linear by a fraction": (lambda x: F.interpolate(x, scale_factor=0.7, mode="linear"), (1, 4, 6), 2),
    "bilinear by a fraction": (lambda x: F.interpolate(x, scale_factor=1.3, mode="bilinear"), (1, 2, 6, 5), 2),
    "bicubic": (lambda x: F.interpolate(x, scale_factor=2.0, mode="bicubic"), (1, 1, 6, 4), 2),
    "bicubic by a fraction": (lambda x: F.interpolate(x, scale_factor=1.6, mode="bicubic"), (1, 1, 6, 4), 2),
    "attention": (lambda x: F.scaled_dot_product_attention(x, x, x), (1, 2, 4, 6), 3),
    "area": (lambda x: F.interpolate(x, scale_factor=0.5, mode="area"), (1, 2, 6, 4), 2),
}


@pytest.mark.parametrize("name", _BY_SIZE)
def test_scalars_computed_from_a_dynamic_size_follow_eager(name: str) -> None:
    function, shape, dim = _BY_SIZE[name]
    other = [*shape]
    other[dim] = 9
    assert_runs(function, (torch.randn(shape),), (torch.randn(other),), dynamic_shapes=(({dim: _N},),))


def test_convolution_with_a_dynamic_kernel_size_follows_eager() -> None:
    calls = [(torch.randn(1, 3, 8, 8), torch.randn(2, 3, size, 3)) for size in (3, 5)]
    assert_runs(F.conv2d, *calls, dynamic_shapes=((None, {2: Dim("n", min=2, max=6)}),))


def test_padding_to_the_width_of_a_weight_follows_eager() -> None:
    """torch.export guards the width: `n % 3 + 11 == 12`."""
    x, weight, bias = torch.randn(4, 11), torch.randn(8, 12), torch.randn(8)

    def padded_linear(x: Tensor, n: int) -> Tensor:
        padded = F.pad(x * 2, (0, n % 3))
        return torch.cat([F.linear(padded, weight, bias) @ weight, padded], -1)

    dynamic_shapes = (({0: Dim("rows", min=1, max=5)}, Dim.DYNAMIC(min=2, max=9)),)
    calls = [(x, 4), (x[:2], 7)]
    assert_runs(padded_linear, *calls, dynamic_shapes=dynamic_shapes, refused=[(x, 5), (x, 6)])


def test_parts_of_a_dynamic_size_are_joined() -> None:
    """The inputs of `cat` have the sizes h * w - n and n: neither gives h or w."""

    def rolled(x: Tensor, n: int) -> Tensor:
        y = x.flatten()
        return torch.cat([y[n:], y[:n]]).unsqueeze(1).expand(-1, 3).flatten() * 2

    shapes = (({0: Dim("h", min=3, max=16), 1: Dim("w", min=3, max=13)}, Dim.DYNAMIC(min=0, max=6)),)
    calls = [(torch.randn(5, 7), 4), (torch.randn(16, 3), 6), (torch.randn(3, 3), 0)]
    assert_runs(rolled, *calls, dynamic_shapes=shapes)


def test_resized_parts_of_a_padded_size_follow_eager() -> None:
    """The delegate's only argument has the size `w + n`, a result `2 * w + 2 * n - 1`."""

    def resized(x: Tensor, n: int) -> Tensor:
        padded = F.pad(x, (0, n)).exp()
        return F.interpolate(padded, scale_factor=2.0)[..., 1:].relu()

    shapes = (({2: Dim("w", min=11, max=14)}, Dim.DYNAMIC(min=0, max=5)),)
    assert_runs(resized, (torch.randn(2, 7, 11), 2), (torch.randn(2, 7, 14), 5), dynamic_shapes=shapes)


def test_views_with_the_same_elements_and_other_bounds_follow_eager() -> None:
    """`[5, m]` has up to 435 elements, and `[5 * m // 12, 12]` has up to 432."""

    def rows(x: Tensor, n: int) -> Tensor:
        wide = F.pad(x.repeat_interleave(n, -1) * 2, (0, n % 4))
        return (wide.view(-1, 12).exp() + 1).softmax(-1).view(wide.shape).cumsum(-1) * wide

    x = torch.randn(5, 7)
    shapes = ((None, Dim.DYNAMIC(min=1, max=12)),)
    assert_runs(rows, (x, 3), (x, 10), dynamic_shapes=shapes, refused=[(x, 4)])


_WIDE, _NARROW = torch.randn(5, 216), torch.randn(5, 24)
_GUARDED: dict[str, tuple[Function, Sequence[Tensor | int], Any]] = {
    "padded": (
        lambda x, y, n: F.pad(x * 2, (0, n % 3)) @ y,
        (torch.randn(4, 11), torch.randn(12, 5), 4),
        ({0: Dim("rows", min=2, max=5)}, None, Dim.DYNAMIC(min=2, max=9)),
    ),
    "flattened": (
        lambda x, y: torch.sigmoid(x.flatten(-2)) @ y,
        (torch.randn(3, 18, 12), torch.randn(216, 5)),
        ({1: Dim("h", min=17, max=19), 2: Dim("w", min=2, max=13)}, None),
    ),
    "flattened for a linear layer": (
        lambda x: F.linear(torch.sigmoid(x.flatten(-2)), _WIDE),
        (torch.randn(3, 18, 12),),
        ({1: Dim("h", min=17, max=19), 2: Dim("w", min=2, max=13)},),
    ),
    "repeated and padded for a linear layer": (
        lambda x, n: F.linear(F.pad(x.repeat_interleave(n, -1) * 2, (0, n % 4)), _NARROW),
        (torch.randn(5, 7), 3),
        (None, Dim.DYNAMIC(min=1, max=5)),
    ),
}


@pytest.mark.parametrize("name", _GUARDED)
def test_dynamic_sizes_that_must_equal_a_static_size_follow_eager(name: str) -> None:
    function, inputs, dynamic_shapes = _GUARDED[name]
    assert_runs(function, inputs, dynamic_shapes=(dynamic_shapes,))


def test_transposed_size_that_is_divided_and_multiplied_follows_eager() -> None:
    """torch.export gives the last dimension the size h * (8 // h)."""
    weight = torch.randn(4, 8)

    def reshaped_linear(x: Tensor) -> Tensor:
        return F.linear(x.mT.reshape(x.shape), weight)

    shapes = (({1: Dim("h", min=1, max=2)},),)
    assert_runs(reshaped_linear, (torch.randn(1, 2, 8),), (torch.randn(1, 1, 8),), dynamic_shapes=shapes)


_WITHOUT_DIMENSIONS: dict[str, Function] = {
    "flip": lambda x: x.flip(0),
    "var": lambda x: x.var(0, correction=0),
    "var and mean": lambda x: torch.var_mean(x, -1, correction=0),
    "sum": lambda x: x.sum(0),
    "amax": lambda x: x.amax(0),
    "max": lambda x: x.max(0),
    "any": lambda x: x.any(0),
    "cumsum": lambda x: x.cumsum(0),
    "softmax": lambda x: x.softmax(0),
    "topk": lambda x: x.topk(1),
    "sort": lambda x: x.sort(0),
    "gather": lambda x: x.gather(0, torch.tensor(0)),
    "index_select": lambda x: x.index_select(0, torch.tensor([0])),
    "index_select by a number": lambda x: x.index_select(0, torch.tensor(0)),
    "transpose": lambda x: x.transpose(0, -1) + 1,
    "expand": lambda x: x.expand(3),
    "clamp": lambda x: x.clamp(0, 1),
}


@pytest.mark.parametrize("name", _WITHOUT_DIMENSIONS)
def test_zero_dimensional_tensors_follow_eager(name: str) -> None:
    assert_runs(_WITHOUT_DIMENSIONS[name], (torch.tensor(1.5),))


_WITHOUT_ELEMENTS: dict[str, tuple[Function, tuple[int, ...]]] = {
    "group_norm": (lambda x: F.group_norm(x, 1), (0, 3)),
    "group_norm of images": (lambda x: F.group_norm(x, 3, torch.ones(3)), (0, 3, 4, 4)),
    "group_norm of empty images": (lambda x: F.group_norm(x, 3), (2, 3, 0, 4)),
    "layer_norm": (lambda x: F.layer_norm(x, (3,)), (0, 3)),
    "interpolate": (lambda x: F.interpolate(x, scale_factor=2), (0, 3, 4, 4)),
    "interpolate linearly": (lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), (0, 3, 4, 4)),
    "convolution": (lambda x: F.conv2d(x, torch.ones(2, 3, 3, 3)), (0, 3, 4, 4)),
    "linear": (lambda x: F.linear(x, torch.ones(2, 3)), (0, 3)),
    "softmax": (lambda x: x.softmax(-1), (0, 3)),
    "flip": (lambda x: x.flip(0), (0, 3)),
    "sum": (lambda x: x.sum(0), (0, 3)),
    "mean": (lambda x: x.mean(-1), (0, 3)),
    "max_pool": (lambda x: F.max_pool2d(x, 2), (0, 3, 4, 4)),
    "avg_pool": (lambda x: F.avg_pool2d(x, 2), (0, 3, 4, 4)),
    "adaptive_avg_pool": (lambda x: F.adaptive_avg_pool2d(x, 2), (0, 3, 4, 4)),
    "cat": (lambda x: torch.cat([x, torch.ones(2, 3)]), (0, 3)),
    "pad": (lambda x: F.pad(x, (1, 1)), (0, 3)),
    "topk": (lambda x: x.topk(2), (0, 3)),
    "cumsum": (lambda x: x.cumsum(0), (0, 3)),
    "attention": (lambda x: F.scaled_dot_product_attention(x, x, x), (0, 2, 3, 4)),
}


@pytest.mark.parametrize("name", _WITHOUT_ELEMENTS)
def test_empty_tensors_follow_eager(name: str) -> None:
    function, shape = _WITHOUT_ELEMENTS[name]
    assert_runs(function, (torch.randn(shape),))


_POOLS: dict[str, tuple[Function, tuple[int, ...]]] = {
    "max_pool1d": (lambda x: F.max_pool1d(x, 2), (1, 2, 6)),
    "max_pool2d": (lambda x: F.max_pool2d(x, 2), (1, 2, 6, 6)),
    "max_pool3d": (lambda x: F.max_pool3d(x, 2), (1, 2, 4, 6, 6)),
    "max_pool2d with places": (lambda x: F.max_pool2d(x, 2, return_indices=True), (1, 2, 6, 6)),
    "avg_pool2d": (lambda x: F.avg_pool2d(x, 2, padding=1), (1, 2, 6, 6)),
    "avg_pool1d": (lambda x: F.avg_pool1d(x, 2), (1, 2, 6)),
    "adaptive_max_pool2d": (lambda x: F.adaptive_max_pool2d(x, 2), (1, 2, 6, 6)),
    "adaptive_max_pool3d": (lambda x: F.adaptive_max_pool3d(x, 2), (1, 2, 4, 6, 6)),
    "max": (lambda x: x.max(1), (2, 6)),
    "argmax": (lambda x: x.argmax(1), (2, 6)),
    "topk": (lambda x: x.topk(2), (2, 6)),
    "amax": (lambda x: x.amax(1), (2, 6)),
    "cumsum": (lambda x: x.cumsum(1), (2, 6)),
    "sum": (lambda x: x.sum(1), (2, 6)),
}


def _elements(shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
    return (torch.arange(torch.Size(shape).numel()).flip(0).reshape(shape) * 7 % 97).to(dtype)


def _takes(name: str, dtype: torch.dtype) -> bool:
    """Return true if PyTorch supports the operator for the dtype."""
    function, shape = _POOLS[name]
    try:
        function(_elements(shape, dtype))
    except RuntimeError:
        return False
    return True


_DTYPES = (torch.int64, torch.int32, torch.uint8, torch.float16, torch.float64)


@pytest.mark.parametrize(
    ("name", "dtype"), [(name, dtype) for name in _POOLS for dtype in _DTYPES if _takes(name, dtype)]
)
def test_reductions_of_other_dtypes_follow_eager(name: str, dtype: torch.dtype) -> None:
    function, shape = _POOLS[name]
    assert_runs(function, (_elements(shape, dtype),))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.square(),
        lambda x: x**3,
        lambda x: torch.pow(2, x),
        lambda x: x.square() % 100,
        lambda x: x.clamp(0, 3),
        lambda x: x.long().clamp(0, 3),
        lambda x: torch.where(x, 1, 2),
        lambda x: torch.where(x, x, x),
        lambda x: x * 3,
        lambda x: x + 1,
        lambda x: x + x,
        lambda x: 2 - x.long(),
        lambda x: torch.rsub(x.int(), 1),
        lambda x: torch.maximum(x, x).sum(),
        lambda x: x.cumsum(0),
        lambda x: x.prod(1),
    ],
)
def test_integers_computed_from_booleans_follow_eager(function: Function) -> None:
    assert_runs(function, [torch.randint(0, 2, (4, 5)).bool()])
