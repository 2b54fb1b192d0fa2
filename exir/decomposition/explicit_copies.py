"""Converts and expands sources of `copy_` before a program is retraced.

torch's tracing uses the source of a copy unchanged as the buffer's new value. The dtype conversion
and the broadcast of `copy_` would be lost.
"""

from collections.abc import Iterator

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from exir.graph.control_flow import graphs
from exir.graph.graph_builder import inherited_meta
from exir.graph.layouts import same_sizes
from exir.graph.program_copy import copy_program

_ATEN = torch.ops.aten


def with_explicit_copies(program: ExportedProgram) -> ExportedProgram:
    """Return `program`, or a copy in which sources of `copy_` match their targets."""
    if not any(_conversion_ops(node) for node in _all_copies(program)):
        return program
    copied = copy_program(program)
    for node in list(_all_copies(copied)):
        for op in _conversion_ops(node):
            target, source, *others = node.args
            node.args = (target, _insert_conversion(op, source, target, node), *others)
    return copied


def _all_copies(program: ExportedProgram) -> Iterator[Node]:
    for graph_module in graphs(program.graph_module):
        yield from graph_module.graph.find_nodes(op="call_function", target=_ATEN.copy_.default)


def _conversion_ops(node: Node) -> list[torch._ops.OpOverload]:
    """Return the operators that convert the source of a copy to its target's type."""
    target, source = (arg.meta["val"] for arg in node.args[:2])
    converts = [_ATEN.type_as.default] if source.dtype != target.dtype else []
    return converts if same_sizes(source.shape, target.shape) else [*converts, _ATEN.expand_as.default]


def _insert_conversion(op: torch._ops.OpOverload, source: Node, target: Node, point: Node) -> Node:
    with point.graph.inserting_before(point):
        new = point.graph.call_function(op, (source, target))
    new.meta = {**inherited_meta(point), "val": op(source.meta["val"], target.meta["val"])}
    return new
