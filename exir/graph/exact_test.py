"""Tests that constants are computed with the same bits on every machine.

Results are close to torch's, and sums are accurate to float64.
"""

import math
from typing import Any

import pytest
import torch
from torch import Tensor

from exir.graph.exact import exact, is_exact

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
        *((_ATEN.pow.Tensor_Scalar, (_X.abs(), each), {}) for each in (-1, -0.5, 0.5, 1, 2, 3)),
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


def _shuffled(x: Tensor) -> Tensor:
    return x[torch.randperm(len(x), generator=torch.Generator().manual_seed(1))]


def test_long_float_sums_round_once() -> None:
    numbers = torch.randn(100_003, generator=torch.Generator().manual_seed(2))
    exactly = torch.tensor(math.fsum(numbers.tolist()))
    for each in (numbers, _shuffled(numbers)):
        assert torch.equal(exact(_ATEN.sum.dim_IntList, (each, [0]), {}), exactly)


def test_inexact_operators_are_left_to_the_program() -> None:
    assert not is_exact(_ATEN.pow.Tensor_Scalar, (_X, 2.5))
    assert not is_exact(_ATEN.exp.default, (_X,))
