"""Other forms of an ATen operator: a view's copying form, an in-place operator's functional form."""

from functools import cache

import torch
from torch._ops import OpOverload


@cache
def is_view(op: OpOverload) -> bool:
    """Whether a result of `op` shares memory with an argument that it does not write."""
    return any(a.alias_info is not None and not a.alias_info.is_write for a in op._schema.arguments)


@cache
def copy_form(op: OpOverload) -> OpOverload:
    """The operator that computes what the view `op` does into memory of its own; `op` when it is no view."""
    if not is_view(op):
        return op
    return _overload(op.namespace, f"{op._opname}_copy", op._overloadname) or op


@cache
def functional_form(op: OpOverload) -> OpOverload | None:
    """The operator that returns what the in-place `op` writes to its first argument, or None.

    None also for an operator that writes to anything but its first argument.
    """
    written = [a for a in op._schema.arguments if a.alias_info and a.alias_info.is_write]
    if not op._opname.endswith("_") or written != op._schema.arguments[:1]:
        return None
    return _overload(op.namespace, op._opname[:-1], op._overloadname)


def _overload(namespace: str, operator: str, overload: str) -> OpOverload | None:
    packet = getattr(getattr(torch.ops, namespace), operator, None)
    return getattr(packet, overload or "default", None)
