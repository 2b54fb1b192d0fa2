"""Lowering of `cumsum`."""

import torch
from torch._ops import OpOverload
from torch.fx import Node

from backends.cpu.compiler.graph import TensorLayout, Value
from backends.cpu.compiler.lower.builder import Builder, view
from backends.cpu.compiler.lower.program import Program, dims_at, tensor_of
from backends.cpu.compiler.lower.reductions import rows_of
from backends.cpu.compiler.lower.rule import NUMBERS, Example, Refusal, Rule
from backends.cpu.schema.indexing import Cumsum

_aten = torch.ops.aten


def _lower_cumsum(builder: Builder, node: Node) -> None:
    x, dim = node.args
    rows = rows_of(builder, x, [dim % tensor_of(node).dim()])
    output = Value(tensor_of(node).dtype, rows.x.dims)
    builder.op(Cumsum(), [rows.x], output, node)
    sizes = tuple(dims_at(node)[each] for each in rows.order)
    builder.alias(node, TensorLayout(view(output, sizes), rows.order))


def _refuses_cumsum(program: Program, node: Node) -> Refusal:
    dtype, to = tensor_of(node.args[0]).dtype, tensor_of(node).dtype
    if to != (torch.float32 if dtype == torch.float32 else torch.int64):
        return f"cumsum of {dtype} with result {to} is not supported"
    return "cumsum of a scalar is not supported" if tensor_of(node).dim() == 0 else None


RULES: dict[OpOverload, Rule] = {
    _aten.cumsum.default: Rule(
        _lower_cumsum,
        _refuses_cumsum,
        dtypes=NUMBERS,
        examples=(Example(Cumsum, lambda x: x.cumsum(1), lambda: (torch.randn(3, 4, 5),)),),
    ),
}
