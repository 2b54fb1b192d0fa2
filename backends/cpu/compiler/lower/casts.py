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
from backends.cpu.schema.quantization import Cast, Dequantize, Quantize
from backends.cpu.schema.records import NONE, OutputQuantization, QuantParams
from exir.dialects.edge import to_torch_overload

_aten = torch.ops.aten
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
    if dtype == torch.int8:
        return Dequantize(QuantParams(0, 1.0))
    if to == torch.int8:
        return Quantize(OutputQuantization(1.0, 0, -128, 127))
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
    if (dtype, to) == (torch.float32, torch.int8) and not _is_integral(node.args[0]):
        return "casts from float32 to int8 are supported only after round, floor or ceil"
    is_int8 = {dtype, to} == {torch.float32, torch.int8}
    return None if is_int8 or {dtype, to} <= set(NUMBERS) else f"casts from {dtype} to {to} are not supported"


def _is_integral(node: Node) -> bool:
    return to_torch_overload(node.target) in (_aten.round.default, _aten.floor.default, _aten.ceil.default)


RULES: dict[OpOverload, Rule] = {
    _dim_order._to_dim_order_copy.default: Rule(_lower, _refuses, computes=False, dtypes=ANY),
}
