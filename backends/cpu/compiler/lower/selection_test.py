"""Tests that `topk` agrees with PyTorch."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim

from backends.cpu.compiler.testing.compare import assert_computes, lowered
from exir.backend.utils import get_non_lowered_nodes


@pytest.mark.parametrize("dim", [0, 1, -1])
@pytest.mark.parametrize("largest", [True, False])
def test_topk(dim: int, largest: bool) -> None:
    x = torch.randn(4, 5, 6)
    assert_computes(lambda x: x.topk(3, dim, largest), x)
    assert_computes(lambda x: x.topk(2, dim, largest)[1], x)


class _Experts(nn.Module):
    """Mixture of experts. A router selects two of four layers for each row."""

    def __init__(self) -> None:
        super().__init__()
        self.router = nn.Linear(8, 4)
        self.experts = nn.Parameter(torch.randn(4, 8, 8))

    def forward(self, x: Tensor) -> Tensor:
        weights, chosen = torch.topk(self.router(x).softmax(-1), 2)
        mixed = torch.einsum("ni,nkio->nko", x, self.experts[chosen])
        return (mixed * weights[..., None]).sum(1)


def test_a_mixture_of_experts_is_one_delegate() -> None:
    others = [(torch.randn(count, 8),) for count in (2, 9)]
    shapes = ({0: Dim("n", min=2, max=9)},)
    module = _Experts().eval()
    assert_computes(module, torch.randn(5, 8), dynamic_shapes=shapes, others=others, tolerance=1e-4)


@pytest.mark.parametrize("function", [lambda x: x.topk(65)[0].relu(), lambda x: x.long().topk(2)[0]])
def test_unsupported_topk_is_left_to_kernels(function: Any) -> None:
    assert get_non_lowered_nodes(lowered(function, [torch.randn(2, 70)]).graph)
