"""In-place mutation: the operators that mutate an argument, and copies of values."""

import torch
from torch.fx import Node

from exir.dialects.edge import to_torch_overload
from exir.dialects.out_variant import bind_arguments, written_arguments


def overwritten_operand(node: Node) -> Node | None:
    """Return the argument whose memory holds the result of `node`, or None.

    The result is also None for out variants.
    """
    op = to_torch_overload(node.target) if node.op == "call_function" else None
    if op is None:
        return None
    places = {argument.name for argument in op._schema.arguments if argument.is_out}
    names = [name for name in written_arguments(op) if name not in places]
    operand = bind_arguments(op, node.args, node.kwargs).get(names[0]) if len(names) == 1 else None
    return operand if isinstance(operand, Node) else None


def memory_owner(value: Node) -> Node:
    """Return the node that owns the memory of `value`, across in-place operators."""
    while (operand := overwritten_operand(value)) is not None:
        value = operand
    return value


def clone_before(point: Node, value: Node) -> Node:
    """Insert a node before `point` that copies the tensor `value` to separate memory.

    The copy has no spec, because the spec of `value` refers to the memory of `value`.
    """
    with point.graph.inserting_before(point):
        copy = point.graph.call_function(torch.ops.aten.clone.default, (value,))
    copy.meta = {name: entry for name, entry in value.meta.items() if name != "spec"}
    return copy
