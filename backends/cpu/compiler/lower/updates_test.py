"""Tests that writes to buffers are in place and visible in the next call.

Each write lowers to one op.
"""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim

from backends.cpu.compiler.graph import State
from backends.cpu.compiler.testing.compare import assert_computes, assert_keeps, lowered, ops, specs
from backends.cpu.schema.attention import KvUpdate
from backends.cpu.schema.copies import Permute
from exir.backend.utils import get_non_lowered_nodes

_ROWS = 6


class _Cache(nn.Module):
    """Buffers of shape [2, 3, 6, 4] that `write` updates."""

    def __init__(self, write: Callable[..., Any]) -> None:
        super().__init__()
        self.write = write
        self.register_buffer("rows", torch.randn(2, 3, _ROWS, 4))
        self.register_buffer("others", torch.randn(2, 3, _ROWS, 4))

    def forward(self, x: Tensor, at: Any) -> Any:
        return self.write(self, x, at)


def _by_number(cache: Any, x: Tensor, at: int) -> Tensor:
    torch._check(at >= 0)
    torch._check(at <= _ROWS - 2)
    cache.rows[:, :, at : at + 2] = x
    return cache.rows * 2


def _by_tensor(cache: Any, x: Tensor, at: Tensor) -> Tensor:
    cache.rows[:, :, at] = x
    return cache.rows * 2


def _by_index_copy(cache: Any, x: Tensor, at: Tensor) -> Tensor:
    cache.rows.index_copy_(2, at, x)
    return cache.rows * 2


def _fixed(cache: Any, x: Tensor, at: Tensor) -> Tensor:
    cache.rows[:, :, 1:3] = x + at
    return cache.rows * 2


def _one(cache: Any, x: Tensor, at: Tensor) -> Tensor:
    cache.rows[:, :, -2] = x[:, :, 0] + at
    return cache.rows * 2


def _x() -> Tensor:
    return torch.randn(2, 3, 2, 4)


@pytest.mark.parametrize("write", [_by_tensor, _by_index_copy])
def test_rows_at_positions_given_by_a_tensor(write: Any) -> None:
    calls = [(_x(), torch.tensor(at)) for at in ([0, 1], [4, 2], [5, 0])]
    assert _kinds(write, *calls[0]) == [KvUpdate]
    assert_keeps(_Cache(write), *calls)


def test_rows_that_start_at_an_integer_argument() -> None:
    shapes = (None, Dim.DYNAMIC)
    assert _kinds(_by_number, _x(), 3, dynamic_shapes=shapes) == [KvUpdate]
    assert_keeps(_Cache(_by_number), (_x(), 3), (_x(), 0), (_x(), 4), dynamic_shapes=shapes)


@pytest.mark.parametrize("write", [_fixed, _one])
def test_rows_at_constant_positions(write: Any) -> None:
    assert_keeps(_Cache(write), (_x(), torch.tensor(1.5)), (_x(), torch.tensor(0.5)))


def test_a_dynamic_number_of_rows() -> None:
    n = Dim("n", min=1, max=_ROWS)
    calls = [(torch.randn(2, 3, size, 4), torch.randperm(_ROWS)[:size]) for size in (3, 1, 6)]
    assert_keeps(_Cache(_by_tensor), *calls, dynamic_shapes=({2: n}, {0: n}))


def _kinds(write: Any, *call: Any, dynamic_shapes: Any = None) -> list[type]:
    """Return the types of the ops that write to states."""
    graph = ops(_Cache(write), *call, dynamic_shapes=dynamic_shapes)
    return [type(op.spec) for op in graph.ops if isinstance(op.output.storage.place, State)]


def test_old_rows_can_be_read_after_an_update() -> None:
    def write(cache: Any, x: Tensor, at: Tensor) -> Tensor:
        before = cache.rows * 3
        cache.rows[:, :, at] = x
        return before + cache.rows

    calls = [(_x(), torch.tensor(at)) for at in ([0, 1], [4, 2])]
    assert _kinds(write, *calls[0]) == [Permute]
    assert_keeps(_Cache(write), *calls)


def test_buffers_that_are_written_twice_and_copied_to_each_other() -> None:
    def write(cache: Any, x: Tensor, at: Tensor) -> Any:
        cache.rows[:, :, at] = x
        cache.rows[:, :, 0] = 7.0
        turned = cache.rows.transpose(0, 1).reshape(2, 3, _ROWS, 4)
        cache.rows.copy_(cache.others.transpose(0, 1).reshape(2, 3, _ROWS, 4))
        cache.others.copy_(turned)
        return cache.rows + cache.others * x[:, :, :1]

    assert_keeps(_Cache(write), *[(_x(), torch.tensor(at)) for at in ([0, 1], [4, 2], [1, 3])])


def test_tensor_arguments_are_not_modified() -> None:
    def function(cache: Tensor, x: Tensor, at: Tensor) -> Tensor:
        return cache.index_copy(1, at, x) + torch.slice_scatter(cache, x, 1, 0, 2)

    cache = torch.randn(3, _ROWS)
    assert KvUpdate in map(type, specs(function, cache, torch.randn(3, 2), torch.tensor([4, 1])))
    assert_computes(function, cache, torch.randn(3, 2), torch.tensor([4, 1]))


def test_in_place_addition_to_a_buffer() -> None:
    def write(cache: Any, x: Tensor, at: Tensor) -> Tensor:
        cache.rows.add_(at)
        return cache.rows * x[:, :, :1]

    assert_keeps(_Cache(write), (_x(), torch.tensor(1.5)), (_x(), torch.tensor(0.5)))


@pytest.mark.parametrize(
    "function",
    [
        lambda cache, x, at: cache.index_put((at, at), x[:2, 0]),
        lambda cache, x, at: cache.index_put((at,), x[:1, :1], accumulate=True),
        lambda cache, x, at: torch.slice_scatter(cache, x, 1, 0, 4, 2),
    ],
)
def test_unsupported_updates_are_left_to_kernels(function: Any) -> None:
    inputs = [torch.randn(3, _ROWS), torch.randn(3, 2), torch.tensor([0, 1])]
    assert get_non_lowered_nodes(lowered(function, inputs).graph)


def test_rows_of_another_dtype_are_converted() -> None:
    x, rows = torch.randn(5, 2), torch.ones(5, 1, dtype=torch.int64)
    assert_computes(lambda x, rows: torch.slice_scatter(x, rows, 1, 1), x, rows)
