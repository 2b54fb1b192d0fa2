"""Tests that mixture-of-experts layers become grouped GEMMs."""

import pytest
import torch
from torch import Tensor, nn

from exir import to_edge
from exir.testing.graphs import assert_same, operator_names, run
from exir.testing.models import Example

_SCHEMA = "grouped_mm_fallback(Tensor input, Tensor weight, Tensor offs) -> Tensor"


class Experts(nn.Module):
    """Rows sorted by expert; `ends` contains the end of each expert's rows."""

    def __init__(self, dtype: torch.dtype) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(3, 16, 8, dtype=dtype))

    def forward(self, x: Tensor, ends: Tensor) -> Tensor:
        return torch.nn.functional.grouped_mm(x, self.weight.transpose(1, 2), offs=ends)


class ExpertsOfTransformers(Experts):
    def forward(self, x: Tensor, ends: Tensor) -> Tensor:
        return torch.ops.transformers.grouped_mm_fallback(x, self.weight.transpose(1, 2), ends)


class Batches(nn.Module):
    def forward(self, x: Tensor, weight: Tensor) -> Tensor:
        return torch.nn.functional.grouped_mm(x, weight)


@pytest.fixture
def transformers_operator() -> torch.library.Library:
    """Register the parts of transformers' operator that the export needs."""
    library = torch.library.Library("transformers", "FRAGMENT")
    library.define(_SCHEMA)
    library.impl("grouped_mm_fallback", torch.ops.grouped.mm.default, "CompositeExplicitAutograd")
    return library


def check_grouping(module: nn.Module, dtype: torch.dtype) -> None:
    x, ends = torch.randn(9, 8, dtype=dtype), torch.tensor([2, 2, 9], dtype=torch.int32)
    program = to_edge(Example(module.eval(), (x, ends)).export()).exported_program()
    assert operator_names(program) == ["grouped::mm"]
    matrices = module.weight.detach()
    expected = torch.cat([x[:2] @ matrices[0].T, x[2:] @ matrices[2].T])
    assert_same(run(program, (x, ends)), [expected], 2e-2 if dtype is torch.bfloat16 else 1e-5, 1e-5)


def test_grouped_gemm_of_torch_takes_bfloat16() -> None:
    check_grouping(Experts(torch.bfloat16), torch.bfloat16)


@pytest.mark.usefixtures("transformers_operator")
def test_grouped_gemm_of_transformers_takes_every_dtype() -> None:
    check_grouping(ExpertsOfTransformers(torch.float32), torch.float32)


def test_rows_after_the_last_group_are_zero() -> None:
    product = torch.ops.grouped.mm(torch.ones(4, 2), torch.ones(1, 2, 3), torch.tensor([3]))
    assert product.tolist() == [[2.0] * 3] * 3 + [[0.0] * 3]


def test_batches_of_matrices_become_a_batched_gemm() -> None:
    x, weight = torch.randn(3, 5, 8, dtype=torch.bfloat16), torch.randn(3, 8, 16, dtype=torch.bfloat16)
    program = to_edge(Example(Batches(), (x, weight)).export()).exported_program()
    assert operator_names(program) == ["aten::bmm"]
    assert_same(run(program, (x, weight)), [torch.bmm(x, weight)], 2e-2, 1e-5)
