"""Tests that `DistinctOutputsPass` makes outputs distinct tensors."""

import torch
from torch.fx import Node

from exir.passes.distinct_outputs_pass import DistinctOutputsPass
from exir.program import to_edge
from exir.testing.models import Example


class Shared(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("constant", torch.ones(2))

    def forward(self, x: torch.Tensor) -> tuple[object, ...]:
        y = x + self.constant
        return x, y, y, self.constant, 3


def outputs() -> list[Node]:
    program = to_edge(Example(Shared(), (torch.ones(2),)).export()).exported_program()
    done = DistinctOutputsPass()
    program = done.run(program)
    done.ensures(program)
    program.graph.lint()
    return list(program.graph.output_node().args[0])


def test_inputs_constants_and_repeated_outputs_are_copied() -> None:
    clone = torch.ops.aten.clone.default
    assert [value.target is clone for value in outputs()[:4]] == [True, False, True, True]


def test_scalar_outputs_are_not_copied() -> None:
    assert outputs()[4] == 3
