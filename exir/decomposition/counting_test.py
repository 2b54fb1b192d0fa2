"""Tests of counting operators with dynamic sizes and the bounds of their results."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim, export

from exir import to_edge
from exir.error import UnsupportedOperatorError
from exir.testing.graphs import run

_N = Dim("n", min=0, max=16)


class _FunctionModule(nn.Module):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: Tensor) -> Any:
        return self.function(x)


def _bounded_program(x: Tensor) -> Tensor:
    counts = torch.bincount(x)
    torch._check(counts.shape[0] <= 20)
    return counts * 2


DYNAMIC: dict[str, Callable[[Tensor], Any]] = {
    "first counts": lambda x: torch.bincount(x, minlength=4)[:4],
    "bounded counts": _bounded_program,
    "unique": lambda x: torch.unique(x, return_inverse=True, return_counts=True),
    "unique_consecutive": lambda x: torch.unique_consecutive(x, return_inverse=True, return_counts=True),
    "nonzero_static": lambda x: torch.nonzero_static(x, size=5),
    "segment_reduce": lambda x: torch.segment_reduce(
        x * 0.5, "sum", lengths=torch.stack([x.sum() * 0, x.sum() * 0 + x.shape[0]]), unsafe=True
    ),
}


@pytest.mark.parametrize("name", DYNAMIC)
def test_counting_sizes_stay_dynamic(name: str) -> None:
    module = _FunctionModule(DYNAMIC[name])
    program = export(module, (torch.tensor([1, 0, 3, 3, 1]),), dynamic_shapes=({0: _N},))
    lowered = to_edge(program)
    lowered.to_executorch()
    for values in ([1, 0, 3, 3, 1], [2, 2], [5, 1, 1, 0, 2, 2, 9]):
        x = torch.tensor(values)
        expected = torch.utils._pytree.tree_leaves(module(x))
        torch.testing.assert_close(run(lowered.exported_program(), (x,)), expected)


@pytest.mark.parametrize("function", [torch.bincount, lambda x: torch.bincount(x, minlength=4)[:5]])
def test_rejects_a_length_without_a_bound(function: Callable[[Tensor], Tensor]) -> None:
    with pytest.raises(UnsupportedOperatorError, match="no upper bound; slice the result.*or bound it"):
        to_edge(export(_FunctionModule(function), (torch.tensor([1, 0, 3]),)))


def test_rejects_unique_slices_of_many_elements() -> None:
    program = export(_FunctionModule(lambda x: torch.unique(x, dim=0)), (torch.ones(3, 65),))
    with pytest.raises(UnsupportedOperatorError, match="at most 64 elements"):
        to_edge(program)
