"""Tests that `tensor_split` of a dynamic dimension has the sizes of eager PyTorch."""

import pytest
import torch
from torch import Tensor
from torch.export import Dim, export

from exir import to_edge


class _Split(torch.nn.Module):
    def __init__(self, sections: int, dim: int) -> None:
        super().__init__()
        self.sections, self.dim = sections, dim

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        return tuple(part * 1.0 for part in x.flatten().tensor_split(self.sections, self.dim))


@pytest.mark.parametrize(("sections", "width"), [(3, 32), (5, 7), (7, 4)])
@pytest.mark.parametrize("dim", [0, -1])
def test_sections_of_a_dynamic_dimension(sections: int, width: int, dim: int) -> None:
    module, rows = _Split(sections, dim), Dim("rows", min=1, max=2)
    exported = export(module, (torch.randn(2, width),), dynamic_shapes=({0: rows},))
    edge = to_edge(exported)
    lowered = edge.exported_program().module(check_guards=False)
    edge.to_executorch()
    for count in (1, 2):
        x = torch.randn(count, width)
        for found, expected in zip(lowered(x), module(x), strict=True):
            assert torch.equal(found, expected)
