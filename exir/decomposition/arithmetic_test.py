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


class Summed(nn.Module):
    def forward(self, x: Tensor, a: Tensor, b: Tensor) -> Tensor:
        return torch.addbmm(x, a, b)


def test_sums_of_products_are_rounded_once() -> None:
    """Products of halves that cancel: each by itself would lose what is left of them."""
    x, a, b = torch.zeros(1, 1), torch.tensor([[[64.0]], [[-64.0]]]), torch.tensor([[[32.02]], [[32.0]]])
    example = Example(Summed(), tuple(each.half() for each in (x, a, b)))
    program = to_core_aten(example.export(), {})
    assert "aten::bmm" not in operator_names(program)
    exact = Summed()(*(each.double() for each in example.inputs)).half()
    assert_same(run(program, example.inputs), [exact], 0, 0)


class Remainders(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        return 7 % x, -2.5 % x, torch.remainder(-7, x.to(torch.uint8).int()), 3 % x.float()


def test_remainders_of_numbers_have_the_dtype_of_both() -> None:
    example = Example(Remainders(), (torch.tensor([3, 2, 5]),))
    program = to_core_aten(example.export(), {})
    assert_same(run(program, example.inputs), list(Remainders()(*example.inputs)), 0, 0)
