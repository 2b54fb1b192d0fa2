"""Layouts that the kernels of a table accept for a node's tensors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from torch import Tensor
from torch.fx import Node

from exir.dialects.edge import to_torch_overload
from exir.dialects.out_variant import bind_arguments, out_variant_of
from exir.operators.kernels import KernelTable
from exir.operators.rules import Call, TensorInfo


def takes_rows_alone(node: Node, table: KernelTable) -> bool:
    """Return true if kernels of `table` accept only row-major tensors for `node`."""
    op = to_torch_overload(node.target)
    variant = None if op is None else out_variant_of(op)
    if op is None or variant is None or variant.op.name() not in table:
        return False
    # The emitted call has all arguments, so a rule for an omitted argument applies to its default.
    defaults = {arg.name: arg.default_value for arg in op._schema.arguments}
    arguments = {**defaults, **bind_arguments(op, node.args, node.kwargs)}
    results = node.meta["val"] if len(variant.outputs) > 1 else [node.meta["val"]]
    call = Call(
        {
            name: list(_tensor_layouts(value))
            for name, value in {**arguments, **dict(zip(variant.outputs, results))}.items()
        },
        {
            name: value
            for name, value in arguments.items()
            if value is None or isinstance(value, (bool, str))
        },
    )
    name = variant.op.name()
    return bool(table.refusals(name, call)) and not table.refusals(name, _in_rows(call))


def _tensor_layouts(value: Any) -> Iterator[TensorInfo]:
    """Yield the properties of a tensor, or of each tensor of a list."""
    if isinstance(value, Node):
        value = value.meta.get("val")
    if isinstance(value, Tensor):
        yield TensorInfo(str(value.dtype).removeprefix("torch."), tuple(value.dim_order()))
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _tensor_layouts(item)


def _in_rows(call: Call) -> Call:
    tensors = {
        name: [replace(tensor, dim_order=tuple(range(len(tensor.dim_order)))) for tensor in some]
        for name, some in call.tensors.items()
    }
    return replace(call, tensors=tensors)
