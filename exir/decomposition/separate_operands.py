"""Clones operands of control flow that share memory.

A loop's carried value changes at each iteration, and a captured value does not. torch's tracing rejects
loops that receive one tensor as both, such as `a * x` that starts with `a = x`, and branches in inner
graphs that receive one tensor twice.
"""

import operator
from collections.abc import Iterator
from itertools import count
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.export import ExportedProgram
from torch.fx import Node

from exir.error import UnsupportedOperatorError
from exir.graph.control_flow import graphs, regions
from exir.graph.in_place import clone_before
from exir.graph.program_copy import copy_program


def separate_operands(program: ExportedProgram) -> ExportedProgram:
    """Return `program`, or a copy in which control flow has distinct operands.

    Raises `UnsupportedOperatorError` for a `scan` that `torch.export` has recorded incorrectly.
    """
    for node in _mutating_nodes(program):
        _reject_lost_carry(node)
    if not any(_shared_operands(node) for node in _mutating_nodes(program)):
        return program
    copied = copy_program(program)
    for node in list(_mutating_nodes(copied)):
        _clone_operands(node, _shared_operands(node))
    return copied


def _mutating_nodes(program: ExportedProgram) -> Iterator[Node]:
    for graph_module in graphs(program.graph_module):
        yield from graph_module.graph.nodes


def _reject_lost_carry(node: Node) -> None:
    """Reject a `scan` that reads its initial value instead of its carried value.

    `torch.export` (2.13) records such a scan if its body captures the initial value.
    """
    for region in regions(node) if node.target is torch.ops.higher_order.scan else ():
        rest = len(region.carried) + len(region.sliced)
        for position in region.carried:
            placeholder, start = region.bindings[position]
            if not placeholder.users and start in region.operands[rest:]:
                raise UnsupportedOperatorError(
                    f"torch.export merges the carried value of the scan with '{start}', its initial "
                    "value, which the body also reads; start from a copy (.clone())",
                    node,
                )


def _shared_operands(node: Node) -> list[int]:
    """Return the positions of operands that must be cloned.

    These are carried operands that share memory, and operands that share memory with a previous one.
    """
    found: list[int] = []
    for region in regions(node)[:1]:
        bases = [_base_node(operand) for operand in region.operands]
        for place, base in enumerate(bases):
            others = bases if place in region.carried else bases[: place + 1]
            if base is not None and others.count(base) > 1:
                found.append(place)
    return found


def _base_node(value: Any) -> Node | None:
    """Return the node that owns the memory of `value`; None if not a tensor."""
    if not isinstance(value, Node) or not isinstance(value.meta.get("val"), Tensor):
        return None
    while _aliases_first_argument(value) and isinstance(value.args[0], Node):
        value = value.args[0]
    return value


def _aliases_first_argument(value: Node) -> bool:
    """Return true if `value` aliases its first argument, or is one of several results."""
    if not isinstance(value.target, OpOverload):
        return value.target is operator.getitem
    return any(result.alias_info is not None for result in value.target._schema.returns) and bool(
        value.args
    )


def _clone_operands(node: Node, shared: list[int]) -> None:
    """Clone the shared operands.

    Positions count the elements of the list arguments in order.
    """
    places = count()
    node.args = tuple(
        type(argument)([_clone_operand(operand, next(places) in shared, node) for operand in argument])
        if isinstance(argument, (list, tuple))
        else argument
        for argument in node.args
    )


def _clone_operand(operand: Any, is_shared: bool, node: Node) -> Any:
    return clone_before(node, operand) if is_shared else operand
