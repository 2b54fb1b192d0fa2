"""Tests that sizes are computed from the sizes in the graph."""

import operator

import pytest
import torch
from torch import SymInt, Tensor, nn
from torch.fx import Graph, Node

from exir import to_edge
from exir.graph.symbols import SymbolicSizes
from exir.testing.graphs import assert_same, run, run_module
from exir.testing.models import Example


class Rolled(nn.Module):
    """Takes a remainder of the size, where only a padded size is available."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv1d(3, 4, 1, padding=2)

    def forward(self, x: Tensor) -> Tensor:
        return torch.roll(self.conv(x).relu(), 1, 2)


class Doubled(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.interpolate(nn.functional.pad(x, (0, 1)), scale_factor=2.0)


class RolledTwice(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return torch.roll(x, (1, -2), (2, 1))


@pytest.mark.parametrize("module", [Rolled(), RolledTwice()])
@pytest.mark.parametrize("dim", [0, 2])
def test_roll_takes_dynamic_sizes(module: nn.Module, dim: int) -> None:
    shapes = ({dim: torch.export.Dim("n", min=2, max=9)},)
    example = Example(module.eval(), (torch.randn(3, 3, 5),), shapes)
    program = to_edge(example.export()).exported_program()
    for size in (2, 9):
        sizes = [3, 3, 5]
        sizes[dim] = size
        x = torch.randn(sizes)
        assert_same(run(program, (x,)), run_module(example.module, (x,)))


def _affine_size_graph() -> tuple[Graph, Node, SymInt]:
    """Return a graph with a tensor of size 2n + 2, its node, and n."""
    shapes = ({2: torch.export.Dim("n", min=2, max=9)},)
    graph = Example(Doubled(), (torch.randn(1, 3, 5),), shapes).export().graph
    number = next(node for node in graph.nodes if node.name == "x").meta["val"].shape[2]
    return graph, next(node for node in graph.nodes if "upsample" in node.name), number


def test_missing_size_is_derived_from_a_related_one() -> None:
    graph, doubled, number = _affine_size_graph()
    size = SymbolicSizes(graph).node_for(2 * number + 1, [doubled])
    assert isinstance(size, Node) and size.meta["val"] == 2 * number + 1
    assert size.target is operator.add and size.args[1] == -1


def test_size_is_derived_from_a_multiple() -> None:
    graph, doubled, number = _affine_size_graph()
    size = SymbolicSizes(graph).node_for(number, [doubled])
    assert isinstance(size, Node) and size.meta["val"] == number
    multiple = size.args[0]
    assert isinstance(multiple, Node)
    assert (size.target, size.args[1], multiple.target, multiple.args[1]) == (
        operator.floordiv,
        2,
        operator.add,
        -2,
    )
