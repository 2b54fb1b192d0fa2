"""Tests of orthogonal polynomials with a scalar operand."""

import pytest
import torch
from torch import Tensor, nn
from torch.export import export

from exir.decomposition.decompose import to_core_aten
from exir.testing.graphs import run


class Chebyshev(nn.Module):
    """Evaluates T_n(x) for a scalar x or a scalar n."""

    def forward(self, operand: Tensor) -> tuple[Tensor, Tensor]:
        polynomial = torch.special.chebyshev_polynomial_t
        return polynomial(0.1, operand), polynomial(operand, 3)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_scalar_operand_has_the_precision_of_the_tensor(dtype: torch.dtype) -> None:
    module, operand = Chebyshev(), torch.tensor([2.0, 5.0, 0.0], dtype=dtype)
    program = to_core_aten(export(module, (operand,)), {})
    for found, expected in zip(run(program, (operand,)), module(operand), strict=True):
        assert found.dtype is dtype and torch.equal(found, expected)
