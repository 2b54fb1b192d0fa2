"""Numbers of one dtype as those of another."""

import torch
from torch._ops import OpOverload
from torch.fx import Node

import exir.dialects.dim_order_ops  # noqa: F401  (registers what `_dim_order` has)
from backends.cpu.compiler.kinds.activation import NONE
from backends.cpu.compiler.kinds.convert import Convert
from backends.cpu.compiler.kinds.map import Map, MapI64, Opcode
from backends.cpu.compiler.kinds.operation import Operation
from backends.cpu.compiler.lower.builder import Builder
from backends.cpu.compiler.lower.rule import ANY, NUMBERS, Program, Refusal, Rule, tensor_of

_dim_order = torch.ops.dim_order_ops


def _lower(builder: Builder, node: Node) -> None:
    x, to = node.args[0], tensor_of(node).dtype
    laid = builder.laid(x)
    if laid.value.dtype == to:
        builder.alias(node, laid)
        return
    builder.step(cast(laid.value.dtype, to), [laid.value], builder.write(node, laid.order), node)


def cast(dtype: torch.dtype, to: torch.dtype) -> Operation:
    """What makes numbers of `dtype` such of `to`."""
    if dtype == torch.float32 and to != torch.bool:
        return Convert()
    kind = Map if torch.float32 in (dtype, to) else MapI64
    if to == torch.bool:
        return kind.call(Opcode.NE, None, 0.0 if kind is Map else 0)
    return Map.of(NONE) if kind is Map else MapI64.call(Opcode.ADD, None, 0)


def _refuses(program: Program, node: Node) -> Refusal:
    dtype, to = tensor_of(node.args[0]).dtype, tensor_of(node).dtype
    if dtype == to:
        return None
    return None if dtype in NUMBERS and to in NUMBERS else f"casts from {dtype} to {to} are not supported"


RULES: dict[OpOverload, Rule] = {
    _dim_order._to_dim_order_copy.default: Rule(_lower, _refuses, computes=False, dtypes=ANY),
}
