"""Related forms of ATen operators: copying and functional forms."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.utils._pytree import tree_map_only

from exir.graph.fake_mode import dispatch_for

# Operators that return their argument under another name.
IDENTITIES = frozenset({torch.ops.aten.alias.default, torch.ops.aten.detach.default})


@cache
def is_view(op: OpOverload) -> bool:
    """Return true if a result of `op` aliases an argument that `op` does not mutate."""
    return any(a.alias_info is not None and not a.alias_info.is_write for a in op._schema.arguments)


@cache
def copy_form(op: OpOverload) -> OpOverload:
    """Return the copying form of the view `op`; `op` itself if it is not a view."""
    if not is_view(op):
        return op
    return _find_overload(op.namespace, f"{op._opname}_copy", op._overloadname) or op


@cache
def view_form(op: OpOverload) -> OpOverload:
    """Return the view whose result `op` copies; `op` itself if it does not copy."""
    if torch.Tag.view_copy not in op.tags:
        return op
    return _find_overload(op.namespace, op._opname.removesuffix("_copy"), op._overloadname) or op


def run_copying(op: OpOverload, args: Any, kwargs: Mapping[str, Any]) -> Any:
    """Compute the value of `copy_form(op)`; it is contiguous if `op` is a view.

    The value is a copy of the view's result, because copying operators do not support symbolic sizes.
    Symbolic sizes stay symbolic.
    """
    with dispatch_for((args, kwargs)):
        result = op(*args, **kwargs)
        return tree_map_only(Tensor, _contiguous_copy, result) if is_view(op) else result


def _contiguous_copy(tensor: Tensor) -> Tensor:
    return tensor.clone(memory_format=torch.contiguous_format)


@cache
def functional_form(op: OpOverload) -> OpOverload | None:
    """Return the functional form of the in-place operator `op`, or None.

    The result is also None for an operator that mutates arguments other than the first.
    """
    written = [a for a in op._schema.arguments if a.alias_info and a.alias_info.is_write]
    if not op._opname.endswith("_") or written != op._schema.arguments[:1]:
        return None
    return _find_overload(op.namespace, op._opname[:-1], op._overloadname)


def _find_overload(namespace: str, operator: str, overload: str) -> OpOverload | None:
    packet = getattr(getattr(torch.ops, namespace), operator, None)
    return getattr(packet, overload or "default", None)
