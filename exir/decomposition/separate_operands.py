"""Loops start from values that share memory with nothing else that they are given.

What a loop carries is another value after each run, and what it only reads is not: torch's tracing refuses
loops that are given one tensor as both, which is natural to write (`a * x`, from `a = x` on).
"""

import operator
from collections.abc import Iterator
from typing import Any

from torch import Tensor
from torch._ops import OpOverload
from torch.export import ExportedProgram
from torch.fx import Node

from exir.graph.cloning import clone_before
from exir.graph.control_flow import graphs, regions
from exir.graph.program_copy import copy_program


def separate_operands(program: ExportedProgram) -> ExportedProgram:
    """`program`, or a copy of it whose loops carry copies where they are given the same memory twice."""
    if not any(_shared(node) for node in _nodes(program)):
        return program
    copied = copy_program(program)
    for node in list(_nodes(copied)):
        _separate(node, _shared(node))
    return copied


def _nodes(program: ExportedProgram) -> Iterator[Node]:
    for graph_module in graphs(program.graph_module):
        yield from graph_module.graph.nodes


def _shared(node: Node) -> list[int]:
    """Which of the values that the loop `node` carries share memory with other operands."""
    found: list[int] = []
    for region in regions(node)[:1]:
        bases = [_base(operand) for operand in region.operands]
        found += [
            place
            for place in region.carried
            if bases[place] is not None and bases.count(bases[place]) > 1
        ]
    return found


def _base(value: Any) -> Node | None:
    """The node whose memory `value` is or is a view of; None of what is no tensor."""
    if not isinstance(value, Node) or not isinstance(value.meta.get("val"), Tensor):
        return None
    while _is_of_first_argument(value) and isinstance(value.args[0], Node):
        value = value.args[0]
    return value


def _is_of_first_argument(value: Node) -> bool:
    """Whether `value` is one of several results, or lies in what the operator was given."""
    if not isinstance(value.target, OpOverload):
        return value.target is operator.getitem
    return any(each.alias_info is not None for each in value.target._schema.returns) and bool(value.args)


def _separate(node: Node, shared: list[int]) -> None:
    """What a loop carries is the first of its lists."""
    args = list(node.args)
    for index, values in enumerate(args):
        if shared and isinstance(values, (list, tuple)):
            copies = [
                clone_before(node, each) if place in shared else each
                for place, each in enumerate(values)
            ]
            args[index] = type(values)(copies)
            break
    node.args = tuple(args)
