"""Control flow that is given the same memory twice is given copies."""

import torch
from torch import Tensor, nn
from torch._higher_order_ops import while_loop
from torch.export import ExportedProgram, export
from torch.fx import Node

from exir.decomposition.separate_operands import separate_operands
from exir.graph.control_flow import regions

_CLONE = torch.ops.aten.clone.default


class Choice(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return torch.cond(x.sum() > 0, lambda a, b: a * b, lambda a, b: a - b, (x * 2, x + 1))


class Power(nn.Module):
    def forward(self, x: Tensor) -> tuple[int, Tensor]:
        rows = (x * 2).view(-1)
        return while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * rows), (0, rows.view(3, 1)[:, 0]))


def _control_flow(program: ExportedProgram) -> Node:
    (node,) = (each for each in program.graph.nodes if regions(each))
    return node


def test_what_a_branch_is_given_twice_is_copied_once() -> None:
    """As torch's own lifting leaves inner branches that read what they are given, too."""
    program = export(Choice(), (torch.randn(3),), strict=False)
    node = _control_flow(program)
    first, _ = node.args[3]
    node.args = (*node.args[:3], (first, first))
    kept, copied = _control_flow(separate_operands(program)).args[3]
    assert (kept.name, copied.target, copied.args[0]) == (first.name, _CLONE, kept)
    assert node.args[3] == (first, first)


def test_what_a_loop_carries_is_a_copy_of_what_it_reads_through_another_view() -> None:
    node = _control_flow(separate_operands(export(Power(), (torch.randn(3),), strict=False)))
    start = regions(node)[0].operands[1]
    assert isinstance(start, Node) and start.target is _CLONE


def test_a_program_whose_operands_are_apart_is_itself() -> None:
    program = export(Choice(), (torch.randn(3),), strict=False)
    assert separate_operands(program) is program
