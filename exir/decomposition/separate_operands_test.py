"""Tests that operands of control flow that share memory are cloned."""

import pytest
import torch
from torch import Tensor, nn
from torch._higher_order_ops import scan, while_loop
from torch.export import ExportedProgram, export
from torch.fx import Node

from exir.decomposition.separate_operands import separate_operands
from exir.error import UnsupportedOperatorError
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
    (node,) = (node for node in program.graph.nodes if regions(node))
    return node


def test_repeated_branch_operand_is_copied_once() -> None:
    """torch's lifting also gives inner branches the operands that they read."""
    program = export(Choice(), (torch.randn(3),), strict=False)
    node = _control_flow(program)
    first, _ = node.args[3]
    node.args = (*node.args[:3], (first, first))
    kept, copied = _control_flow(separate_operands(program)).args[3]
    assert (kept.name, copied.target, copied.args[0]) == (first.name, _CLONE, kept)
    assert node.args[3] == (first, first)


def test_carried_alias_of_a_read_tensor_is_copied() -> None:
    node = _control_flow(separate_operands(export(Power(), (torch.randn(3),), strict=False)))
    start = regions(node)[0].operands[1]
    assert isinstance(start, Node) and start.target is _CLONE


def test_program_with_separate_operands_is_unchanged() -> None:
    program = export(Choice(), (torch.randn(3),), strict=False)
    assert separate_operands(program) is program


class Products(nn.Module):
    """x * x * rows…: the scan's body reads the initial value, or a copy of it."""

    def __init__(self, copies: bool) -> None:
        super().__init__()
        self.copies = copies

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        start = x.clone() if self.copies else x
        return scan(lambda total, row: (total * x, row + x), start, torch.stack([x, x * 2]))


def test_scan_without_its_carry_is_refused() -> None:
    x = torch.tensor([1.0, 2.0, 3.0])
    program = export(Products(False), (x,), strict=False)
    assert not torch.equal(program.module()(x)[0], Products(False)(x)[0])
    with pytest.raises(
        UnsupportedOperatorError, match="carried value of the scan with 'x'.*start from a copy"
    ):
        separate_operands(program)
    copied = export(Products(True), (x,), strict=False)
    assert torch.equal(copied.module()(x)[0], Products(True)(x)[0])
    separate_operands(copied)
