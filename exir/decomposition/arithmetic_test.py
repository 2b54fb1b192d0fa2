"""Tests of arithmetic decompositions, including those of complex tensors."""

import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim, export

from exir.decomposition.decompose import to_core_aten
from exir.testing.graphs import assert_same, operator_names, run
from exir.testing.models import Example


class Products(nn.Module):
    def forward(self, x: Tensor, a: Tensor, b: Tensor) -> Tensor:
        return torch.addbmm(x, a, b, beta=2, alpha=0.5 + 3j)


def test_addmm_scales_by_complex_factors() -> None:
    shapes = (3, 5), (2, 3, 4), (2, 4, 5)
    example = Example(Products(), tuple(torch.randn(shape, dtype=torch.complex64) for shape in shapes))
    program = to_core_aten(example.export(), {})
    assert "aten::addbmm" not in operator_names(program)
    assert_same(run(program, example.inputs), [Products()(*example.inputs)], 1e-4, 1e-4)


_PRODUCTS = {
    "addmm": ((3, 4), (3, 5), (5, 4)),
    "addmv": ((3,), (3, 4), (4,)),
    "addr": ((4,), (3,), (4,)),
    "addbmm": ((1, 4), (2, 3, 5), (2, 5, 4)),
    "baddbmm": ((4,), (2, 3, 5), (2, 5, 4)),
}


class Added(nn.Module):
    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    def forward(self, x: Tensor, a: Tensor, b: Tensor) -> tuple[Tensor, ...]:
        added = getattr(torch, self._name)
        return added(x, a, b, beta=0), added(x, a, b, beta=0.0, alpha=2.0)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.complex64])
@pytest.mark.parametrize("name", _PRODUCTS)
def test_beta_of_zero_ignores_nan_and_infinity(name: str, dtype: torch.dtype) -> None:
    first, *others = _PRODUCTS[name]
    for element in (float("nan"), float("inf")):
        inputs = (
            torch.full(first, element, dtype=dtype),
            *(torch.randn(shape, dtype=dtype) for shape in others),
        )
        program = to_core_aten(Example(Added(name), inputs).export(), {})
        assert_same(run(program, inputs), list(Added(name)(*inputs)), 1e-2, 1e-2)


class Summed(nn.Module):
    def forward(self, x: Tensor, a: Tensor, b: Tensor) -> Tensor:
        return torch.addbmm(x, a, b)


def test_addmm_rounds_once() -> None:
    """The float16 products cancel; rounding each of them would lose the difference."""
    x, a, b = torch.zeros(1, 1), torch.tensor([[[64.0]], [[-64.0]]]), torch.tensor([[[32.02]], [[32.0]]])
    example = Example(Summed(), tuple(operand.half() for operand in (x, a, b)))
    program = to_core_aten(example.export(), {})
    assert "aten::bmm" not in operator_names(program)
    exact = Summed()(*(input_.double() for input_ in example.inputs)).half()
    assert_same(run(program, example.inputs), [exact], 0, 0)


class Remainders(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        return 7 % x, -2.5 % x, torch.remainder(-7, x.to(torch.uint8).int()), 3 % x.float()


def test_remainder_of_scalars_has_the_promoted_dtype() -> None:
    example = Example(Remainders(), (torch.tensor([3, 2, 5]),))
    program = to_core_aten(example.export(), {})
    assert_same(run(program, example.inputs), list(Remainders()(*example.inputs)), 0, 0)


@pytest.mark.parametrize("keepdim", [False, True])
@pytest.mark.parametrize("dim", [(0,), (-1,), (0, 2), (1,), (0, 1, 2)])
def test_logsumexp_of_sizes_that_may_be_zero(dim: tuple[int, ...], keepdim: bool) -> None:
    module = LogSumExp(dim, keepdim)
    sizes = {0: Dim("rows", min=0, max=5), 2: Dim("columns", min=0, max=6)}
    program = export(module, (torch.randn(4, 3, 5),), dynamic_shapes=(sizes,))
    lowered = to_core_aten(program, {})
    for rows, columns in ((4, 5), (1, 6), (0, 3), (3, 0), (0, 0)):
        x = torch.randn(rows, 3, columns)
        assert_same(run(lowered, (x,)), [module(x)], 1e-6, 1e-6)


@pytest.mark.parametrize("dim", [(), (0,), (-1,)])
def test_logsumexp_of_a_scalar_tensor(dim: tuple[int, ...]) -> None:
    example = Example(LogSumExp(dim, False), (torch.tensor(0.5),))
    assert_same(run(to_core_aten(example.export(), {}), example.inputs), [torch.tensor(0.5)], 0, 0)


class LogSumExp(nn.Module):
    def __init__(self, dim: tuple[int, ...], keepdim: bool) -> None:
        super().__init__()
        self.dim, self.keepdim = dim, keepdim

    def forward(self, x: Tensor) -> Tensor:
        return torch.logsumexp(x, self.dim, self.keepdim)
