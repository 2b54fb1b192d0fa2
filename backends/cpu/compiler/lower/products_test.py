"""Tests that multiplications of computed matrices lower to one op.

Attention built from such multiplications compiles to a single delegate.
"""

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.export import Dim

from backends.cpu.compiler.testing.compare import assert_computes, specs
from backends.cpu.schema.copies import Permute
from backends.cpu.schema.gemm import Matmul


@pytest.mark.parametrize(
    "function, a, b",
    [
        (torch.mm, (3, 5), (5, 40)),
        (torch.bmm, (4, 3, 5), (4, 5, 7)),
        (torch.matmul, (2, 3, 4, 5), (3, 5, 6)),
        (torch.matmul, (4, 5), (2, 5, 3)),
        (lambda a, b: torch.matmul(a, b.transpose(-1, -2)), (2, 3, 5), (2, 70, 5)),
        (lambda a, b: torch.matmul(a.transpose(-1, -2), b), (2, 5, 3), (2, 5, 7)),
        (lambda a, b: F.linear(a, b), (2, 3, 5), (7, 5)),
        (lambda a, b: torch.addmm(b[0], a, b), (3, 5), (5, 7)),
        (lambda a, b: torch.baddbmm(a @ b, a, b), (2, 3, 5), (2, 5, 7)),
    ],
)
def test_matrix_multiplications_of_computed_operands(function: Any, a: tuple[int, ...], b: tuple[int, ...]) -> None:
    x, y = torch.randn(a), torch.randn(b)
    assert Matmul in map(type, specs(function, x, y))
    assert_computes(function, x, y)


def test_transposed_operand_is_read_in_place() -> None:
    made = specs(lambda a, b: torch.bmm(a, b.transpose(1, 2)), torch.randn(2, 3, 5), torch.randn(2, 7, 5))
    assert made == [Matmul(transposed=True)]


def _attend(q: Tensor, k: Tensor, v: Tensor, bias: Tensor) -> Tensor:
    """Attention with a bias per pair of positions, written with elementary operators."""
    scores = q @ k.transpose(-2, -1) / 4 + bias
    return (F.softmax(scores, -1) @ v).transpose(1, 2).flatten(2)


def test_attention_composed_of_elementary_operators() -> None:
    n = Dim("n", min=2, max=20)
    shapes = tuple({2: n} for _ in range(3)) + ({1: n, 2: n},)
    calls = [[*(torch.randn(2, 3, size, 16) for _ in range(3)), torch.randn(3, size, size)] for size in (7, 2, 20)]
    assert_computes(_attend, *calls[0], dynamic_shapes=shapes, others=calls[1:])
    assert [type(each) for each in specs(_attend, *calls[0]) if type(each) is not Permute].count(Matmul) == 2
