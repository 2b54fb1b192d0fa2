"""Sizes that decomposition needs are computed from those that the graph has."""

import pytest
import torch
from torch import Tensor, nn

from exir import to_edge
from exir.testing.graphs import assert_same, run, run_module
from exir.testing.models import Example


class Rolled(nn.Module):
    """A remainder of the size, where only the size with the padding of a convolution is at hand."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv1d(3, 4, 1, padding=2)

    def forward(self, x: Tensor) -> Tensor:
        return torch.roll(self.conv(x).relu(), 1, 2)


class RolledTwice(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return torch.roll(x, (1, -2), (2, 1))


@pytest.mark.parametrize("module", [Rolled(), RolledTwice()])
@pytest.mark.parametrize("dim", [0, 2])
def test_roll_of_dynamic_sizes(module: nn.Module, dim: int) -> None:
    shapes = ({dim: torch.export.Dim("n", min=2, max=9)},)
    example = Example(module.eval(), (torch.randn(3, 3, 5),), shapes)
    program = to_edge(example.export()).exported_program()
    for size in (2, 9):
        sizes = [3, 3, 5]
        sizes[dim] = size
        x = torch.randn(sizes)
        assert_same(run(program, (x,)), run_module(example.module, (x,)))
