"""Converts and expands sources of `copy_` before a program is retraced.

torch's tracing uses the source of a copy unchanged as the buffer's new value. The dtype conversion
and the broadcast of `copy_` would be lost.
"""

from collections.abc import Iterator

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from exir.graph.control_flow import graphs
from exir.graph.fake_mode import dispatch_for
from exir.graph.graph_builder import inherited_meta, values
from exir.graph.layouts import dim_order, same_sizes
from exir.graph.program_copy import copy_program
from exir.graph.variants import IDENTITIES, functional_form

_ATEN = torch.ops.aten


def with_explicit_copies(program: ExportedProgram) -> ExportedProgram:
    """Return `program`, or a copy in which sources of `copy_` match their targets.

    Other writes to permuted views become copies of their results.
    """
    writes = any(map(_is_permuted_write, _all_calls(program)))
    if not writes and not any(map(_conversion_ops, _all_copies(program))):
        return program
    copied = copy_program(program)
    for node in list(_all_calls(copied)):
        if _is_permuted_write(node):
            _copy_result(node)
    for node in list(_all_copies(copied)):
        for op in _conversion_ops(node):
            target, source, *others = node.args
            node.args = (target, _insert_conversion(op, source, target, node), *others)
    return copied


def _all_calls(program: ExportedProgram) -> Iterator[Node]:
    for graph_module in graphs(program.graph_module):
        yield from (node for node in graph_module.graph.nodes if node.op == "call_function")


def _is_permuted_write(node: Node) -> bool:
    """Return true if `node` writes a computed value to a view of permuted order.

    Decompositions can return a row-major value. The inverse of the view gives the buffer the permuted
    order, so later `view` calls on the buffer fail.
    """
    op = node.target
    if not isinstance(op, torch._ops.OpOverload) or op in (_ATEN.copy_.default, *IDENTITIES):
        return False
    if torch.Tag.inplace_view in op.tags or functional_form(op) is None:
        return False
    order = dim_order(node.args[0].meta["val"])
    return order is not None and order != tuple(range(len(order)))


def _copy_result(node: Node) -> None:
    """Replace an in-place call with its functional form and a copy to its target."""
    form, target = functional_form(node.target), node.args[0]
    assert form is not None
    with node.graph.inserting_before(node):
        result = node.graph.call_function(form, node.args, node.kwargs)
        copy = node.graph.call_function(_ATEN.copy_.default, (target, result))
    args, kwargs = values((node.args, node.kwargs))
    with torch.no_grad(), dispatch_for((args, kwargs)):
        result.meta = {**inherited_meta(node), "val": form(*args, **kwargs)}
    copy.meta = {**inherited_meta(node), "val": target.meta["val"]}
    node.replace_all_uses_with(target)
    node.graph.erase_node(node)


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
