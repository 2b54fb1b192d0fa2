"""Lowering of casts."""

import torch
from torch._ops import OpOverload
from torch.fx import Node

import exir.dialects.dim_order_ops  # noqa: F401  (registers the operators)
from backends.cpu.compiler.lower.builder import Builder
from backends.cpu.compiler.lower.program import Program, tensor_of
from backends.cpu.compiler.lower.rule import ANY, NUMBERS, Refusal, Rule
from backends.cpu.schema.declarations import OpSpec
from backends.cpu.schema.elementwise import ElementwiseF32, ElementwiseI64, Opcode
from backends.cpu.schema.quantization import Cast
from backends.cpu.schema.records import NONE

_dim_order = torch.ops.dim_order_ops


def _lower(builder: Builder, node: Node) -> None:
    x, to = node.args[0], tensor_of(node).dtype
    layout = builder.layout(x)
    if layout.value.dtype == to:
        builder.alias(node, layout)
        return
    builder.op(cast(layout.value.dtype, to), [layout.value], builder.write(node, layout.order), node)


def cast(dtype: torch.dtype, to: torch.dtype) -> OpSpec:
    """Return the op that converts `dtype` to `to`."""
    if dtype == torch.float32 and to != torch.bool:
        return Cast()
    kind = ElementwiseF32 if torch.float32 in (dtype, to) else ElementwiseI64
    if to == torch.bool:
        return kind.call(Opcode.NE, None, 0.0 if kind is ElementwiseF32 else 0)
    return ElementwiseF32.of(NONE) if kind is ElementwiseF32 else ElementwiseI64.call(Opcode.ADD, None, 0)


def _refuses(program: Program, node: Node) -> Refusal:
    dtype, to = tensor_of(node.args[0]).dtype, tensor_of(node).dtype
    if dtype == to:
        return None
    return None if dtype in NUMBERS and to in NUMBERS else f"casts from {dtype} to {to} are not supported"


RULES: dict[OpOverload, Rule] = {
    _dim_order._to_dim_order_copy.default: Rule(_lower, _refuses, computes=False, dtypes=ANY),
}
