"""Operators that change an argument where it lies and return it."""

from torch.fx import Node

from exir.dialects.edge import to_torch_overload
from exir.out_variant import bind_arguments, written_arguments


def overwritten_operand(node: Node) -> Node | None:
    """The argument in whose memory the result of `node` lies; None for other calls, out variants among them."""
    op = to_torch_overload(node.target) if node.op == "call_function" else None
    if op is None:
        return None
    places = {argument.name for argument in op._schema.arguments if argument.is_out}
    names = [name for name in written_arguments(op) if name not in places]
    operand = bind_arguments(op, node.args, node.kwargs).get(names[0]) if len(names) == 1 else None
    return operand if isinstance(operand, Node) else None


def memory_owner(value: Node) -> Node:
    """The node whose memory `value` lies in, through all operators that changed it there."""
    while (operand := overwritten_operand(value)) is not None:
        value = operand
    return value
