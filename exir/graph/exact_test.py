"""Tests that constants are computed with the same bits on every machine.

Results are close to torch's, and sums are accurate to float64.
"""

import math
from fractions import Fraction
from typing import Any

import pytest
import torch
from torch import Tensor

from exir.graph.exact import exact, is_exact, square_root

_ATEN = torch.ops.aten
_X = torch.randn(3, 5, 7, generator=torch.Generator().manual_seed(3))


@pytest.mark.parametrize(
    ("op", "args", "kwargs"),
    [
        (_ATEN.sum.dim_IntList, (_X, [1]), {}),
        (_ATEN.sum.dim_IntList, (_X, [-1, 0], True), {}),
        (_ATEN.sum.dim_IntList, (_X, []), {}),
        (_ATEN.sum.dim_IntList, (_X.int(), [0]), {}),
        (_ATEN.sum.dim_IntList, (_X.int(), [0]), {"dtype": torch.float32}),
        (_ATEN.sum.dim_IntList, (_X[:, :0], [1]), {}),
        (_ATEN.sum.dim_IntList, (torch.tensor(3.0), []), {}),
        (_ATEN.sum.dim_IntList, (torch.zeros(2, 0, 1), [0, 2], True), {}),
        (_ATEN.sum.dim_IntList, (torch.tensor([1.6, 1.6]), [0]), {"dtype": torch.int32}),
        (_ATEN.sum.dim_IntList, (torch.tensor([2049.0, 1.0]), [0]), {"dtype": torch.float16}),
        (_ATEN.mean.dim, (_X, [0, 2], True), {}),
        (_ATEN.var.correction, (_X, [1, 2]), {"correction": 0, "keepdim": True}),
        (_ATEN.var.correction, (_X,), {"correction": 1}),
        (_ATEN.rsqrt.default, (_X.abs(),), {}),
        (_ATEN.sqrt.default, (_X.abs(),), {}),
        (_ATEN.add.Tensor, (_X, _X[0]), {"alpha": 3}),
        (_ATEN.sub.Tensor, (_X, _X[0]), {"alpha": 0.5}),
        *((_ATEN.pow.Tensor_Scalar, (_X.abs(), exponent), {}) for exponent in (-1, -0.5, 0.5, 1, 2, 3)),
    ],
)
def test_exact_results_are_close_to_torch(op: Any, args: Any, kwargs: Any) -> None:
    assert is_exact(op, args)
    torch.testing.assert_close(exact(op, args, kwargs), op(*args, **kwargs), rtol=1e-6, atol=1e-6)


def test_batch_norm_with_batch_statistics_is_exact() -> None:
    op = _ATEN._native_batch_norm_legit.no_stats
    for weight, bias in ((None, None), (_X[0, :, 0], _X[1, :, 0])):
        args = (_X, weight, bias, True, 0.0, 1e-5)
        for one, other in zip(exact(op, args, {}), op(*args), strict=True):
            torch.testing.assert_close(one, other)


def _shuffle_elements(x: Tensor) -> Tensor:
    return x[torch.randperm(len(x), generator=torch.Generator().manual_seed(1))]


def test_long_float_sums_round_once() -> None:
    numbers = torch.randn(100_003, generator=torch.Generator().manual_seed(2))
    exactly = torch.tensor(math.fsum(numbers.tolist()))
    for x in (numbers, _shuffle_elements(numbers)):
        assert torch.equal(exact(_ATEN.sum.dim_IntList, (x, [0]), {}), exactly)


def test_inexact_operators_are_left_to_the_program() -> None:
    assert not is_exact(_ATEN.pow.Tensor_Scalar, (_X, 2.5))
    assert not is_exact(_ATEN.exp.default, (_X,))


_MANTISSA = {torch.float16: 11, torch.bfloat16: 8, torch.float32: 24, torch.float64: 53}


@pytest.mark.parametrize("dtype", _MANTISSA, ids=str)
def test_square_root_is_correctly_rounded(dtype: torch.dtype) -> None:
    values = (torch.rand(1000, dtype=torch.float64, generator=torch.Generator().manual_seed(1)) + 1).to(
        dtype
    )
    half_step = Fraction(1, 2 ** _MANTISSA[dtype])  # for values from 1 to 2
    for value, root in zip(values.tolist(), square_root(values).tolist(), strict=True):
        nearest = Fraction(root)
        assert (nearest - half_step) ** 2 <= Fraction(value) <= (nearest + half_step) ** 2


def test_square_root_of_special_values_matches_torch() -> None:
    values = torch.tensor([0.0, -0.0, float("inf"), -1.0, float("nan"), 1e-40])
    roots = square_root(values)
    assert torch.equal(roots.nan_to_num(7.0), torch.sqrt(values).nan_to_num(7.0))
    assert torch.signbit(roots[1])


def test_square_root_keeps_shape_layout_and_dtype() -> None:
    image = torch.rand(2, 3, 4, 5).contiguous(memory_format=torch.channels_last)
    assert square_root(image).stride() == torch.sqrt(image).stride()
    assert square_root(torch.tensor(4.0)).shape == ()
    assert square_root(torch.empty(0, 3)).shape == (0, 3)
    assert torch.equal(
        square_root(torch.nn.Parameter(torch.tensor([9.0, 4.0]))), torch.tensor([3.0, 2.0])
    )
    roots = square_root(torch.tensor([4, 9, 1 << 40]))
    assert torch.equal(roots, torch.sqrt(torch.tensor([4, 9, 1 << 40]))) and roots.dtype == torch.float32
