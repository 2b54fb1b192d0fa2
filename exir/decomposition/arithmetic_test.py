"""Formulas hold for complex numbers, too."""

import torch
from torch import Tensor, nn

from exir.decomposition.decompose import to_core_aten
from exir.testing.graphs import assert_same, operator_names, run
from exir.testing.models import Example


class Products(nn.Module):
    def forward(self, x: Tensor, a: Tensor, b: Tensor) -> Tensor:
        return torch.addbmm(x, a, b, beta=2, alpha=0.5 + 3j)


def test_sums_of_products_are_scaled_by_complex_factors() -> None:
    shapes = (3, 5), (2, 3, 4), (2, 4, 5)
    example = Example(Products(), tuple(torch.randn(shape, dtype=torch.complex64) for shape in shapes))
    program = to_core_aten(example.export(), {})
    assert "aten::addbmm" not in operator_names(program)
    assert_same(run(program, example.inputs), [Products()(*example.inputs)], 1e-4, 1e-4)
