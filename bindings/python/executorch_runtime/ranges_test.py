"""Tests that each call checks dynamic sizes and integer inputs, for each backend."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.export import Dim, export

from backends.cpu.compiler.partitioner import CpuPartitioner
from executorch_runtime import ExecutorchError, Method, Program
from exir import to_edge_transform_and_lower

BACKENDS: tuple[Any, ...] = ((), (CpuPartitioner(),))


class _Call(torch.nn.Module):
    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: Any) -> object:
        return self.function(*inputs)


def _method(
    folder: Path, backend: Any, function: Callable[..., object], inputs: tuple[Any, ...], *shapes: Any
) -> Method:
    program = export(_Call(function), inputs, dynamic_shapes=(shapes,))
    lowered = to_edge_transform_and_lower(program, partitioner=list(backend)).to_executorch()
    lowered.save(str(folder / "model.pte"))
    return Program(folder / "model.pte").method()


@pytest.mark.parametrize("backend", BACKENDS)
def test_fixed_and_varying_dimensions_are_checked(tmp_path: Path, backend: Any) -> None:
    n = Dim("n", min=2, max=8)
    method = _method(tmp_path, backend, lambda x: x + torch.ones(4), (torch.ones(6, 4),), {0: n})
    assert str(method.signature) == "forward(float32[2..8, 4]) -> (float32[2..8, 4])"
    for rows in (2, 5, 8):
        (found,) = method(torch.ones(rows, 4))
        assert found.shape == (rows, 4)
    for shape in ((3, 1), (0, 4), (1, 4), (9, 4), (3, 5), (3, 3)):
        with pytest.raises(
            ExecutorchError,
            match=r"inputs\[0\]: size \d of dim \d is (invalid; pass|out of range; pass)",
        ):
            method(torch.ones(shape))


@pytest.mark.parametrize("backend", BACKENDS)
def test_multiples_and_shared_sizes_are_checked(tmp_path: Path, backend: Any) -> None:
    n = Dim("n", min=1, max=4)
    inputs = (torch.ones(16, 2), torch.ones(2))
    method = _method(tmp_path, backend, lambda x, y: x * y.sum(), inputs, {0: 8 * n}, {0: n})
    (found,) = method(torch.ones(24, 2), torch.ones(3))
    assert torch.equal(found, torch.full((24, 2), 3.0))
    with pytest.raises(ExecutorchError, match="size 12 of dim 0 is out of range; pass 8 to 32 in steps of 8"):
        method(torch.ones(12, 2), torch.ones(1))
    with pytest.raises(ExecutorchError, match=r"inputs\[1\]: size 2 of dim 0 differs from 24 of dim 0 of inputs\[0\]"):
        method(torch.ones(24, 2), torch.ones(2))


@pytest.mark.parametrize("backend", BACKENDS)
def test_integer_inputs_are_passed_with_each_call(tmp_path: Path, backend: Any) -> None:
    shapes = (None, Dim.DYNAMIC(min=0, max=3), Dim.DYNAMIC)
    inputs = (torch.arange(6.0), 1, 5)
    method = _method(tmp_path, backend, lambda x, start, scale: x[start : start + 2] * scale, inputs, *shapes)
    for start, scale in ((0, 1), (3, 7), (np.int64(2), np.int32(0))):
        (found,) = method(torch.arange(6.0), start, scale)
        assert torch.equal(found, torch.arange(6.0)[start : start + 2] * float(scale))
    for start, scale in ((4, 1), (-1, 1), (0, -1)):
        with pytest.raises(ExecutorchError, match=r"inputs\[[12]\]: -?\d is out of range; pass 0 to"):
            method(torch.arange(6.0), start, scale)
    with pytest.raises(ExecutorchError, match=r"inputs\[1\] is bool; pass an int"):
        method(torch.arange(6.0), True, 1)
    with pytest.raises(ExecutorchError, match=r"inputs\[1\] is int, not a Tensor"):
        method(torch.arange(6.0), torch.tensor(1), 1)


def test_integers_in_shapes_and_keyword_arguments(tmp_path: Path) -> None:
    class Ramp(torch.nn.Module):
        def forward(self, x: torch.Tensor, *, length: int) -> torch.Tensor:
            return torch.arange(length) + torch.full((length,), 2.0) * x

    shapes = {"x": None, "length": Dim.DYNAMIC(min=1, max=9)}
    program = export(Ramp(), (torch.ones(1),), {"length": 4}, dynamic_shapes=shapes)
    to_edge_transform_and_lower(program).to_executorch().save(str(tmp_path / "model.pte"))
    method = Program(tmp_path / "model.pte").method()
    for length in (1, 5, 9):
        (found,) = method(torch.ones(1), length)
        assert torch.equal(found, torch.arange(length) + 2.0)
    with pytest.raises(ExecutorchError, match="10 is out of range"):
        method(torch.ones(1), 10)


def _view_of_four_columns(x: torch.Tensor) -> torch.Tensor:
    return x.view(x.shape[0] // 4, 4).sum(0)


def _branch_on_rows(x: torch.Tensor) -> torch.Tensor:
    return x * 2 if x.shape[0] % 4 == 0 else x - 1


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("function", [_view_of_four_columns, _branch_on_rows])
def test_conditions_on_sizes_are_checked(tmp_path: Path, backend: Any, function: Callable[..., Any]) -> None:
    n = Dim.DYNAMIC(min=2, max=16)
    method = _method(tmp_path, backend, function, (torch.ones(8),), {0: n})
    assert re.search(r" if .*inputs_0\.shape\[0\].* == 0$", str(method.signature))
    for size in range(2, 17):
        x = torch.rand(size)
        if size % 4 == 0:
            np.testing.assert_allclose(method(x)[0], function(x), rtol=1e-5)
        else:
            with pytest.raises(
                ExecutorchError,
                match=rf"requires inputs_0\.shape\[0\].* == 0, but dim 0 of inputs\[0\] is {size}; pass sizes",
            ):
                method(x)


@pytest.mark.parametrize("backend", BACKENDS)
def test_sizes_that_another_input_determines_are_checked(tmp_path: Path, backend: Any) -> None:
    n = Dim.DYNAMIC(min=2, max=8)
    inputs = (torch.ones(3), torch.ones(2), torch.ones(5))
    method = _method(tmp_path, backend, lambda x, y, z: torch.cat([x, y]) + z, inputs, {0: n}, {0: n}, {0: n})
    assert method(torch.ones(4), torch.ones(3), torch.ones(7))[0].shape == (7,)
    with pytest.raises(ExecutorchError, match=r"inputs_2\.shape\[0\] == inputs_0\.shape\[0\] \+ "):
        method(torch.ones(4), torch.ones(3), torch.ones(6))


def _branch_on_one(x: torch.Tensor) -> torch.Tensor:
    return x * 2 if x.shape[0] == 1 else x - 1


def _branch_on_half(x: torch.Tensor) -> torch.Tensor:
    return x * 2 if x.shape[0] / 2 < 1 else x - 1


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("function", [_branch_on_one, _branch_on_half])
def test_comparison_with_one_is_checked(tmp_path: Path, backend: Any, function: Callable[..., Any]) -> None:
    method = _method(tmp_path, backend, function, (torch.ones(3),), {0: Dim("n", min=1, max=4)})
    for size in (2, 4):
        x = torch.rand(size)
        np.testing.assert_allclose(method(x)[0], function(x), rtol=1e-5)
    with pytest.raises(ExecutorchError, match=r"requires .*inputs_0\.shape\[0\].*, but dim 0 of inputs\[0\] is 1"):
        method(torch.rand(1))
