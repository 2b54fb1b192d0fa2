"""Lowering of quantize and dequantize."""

from collections.abc import Callable
from typing import Any

import torch
import torch.ao.quantization.fx._decomposed
from torch._ops import OpOverload
from torch.fx import Node

from backends.cpu.compiler.graph import TensorLayout, Value
from backends.cpu.compiler.lower.builder import Builder
from backends.cpu.compiler.lower.program import Program, tensor_of
from backends.cpu.compiler.lower.rule import Refusal, Rule
from backends.cpu.schema.declarations import OpSpec
from backends.cpu.schema.quantization import Dequantize, Quantize
from backends.cpu.schema.records import OutputQuantization, QuantParams

_ops = torch.ops.quantized_decomposed
_INT8_DTYPES = (torch.int8, torch.uint8)
_DTYPES = (torch.float32, *_INT8_DTYPES, torch.int64, torch.int32)


def _emit(builder: Builder, node: Node, spec: OpSpec) -> None:
    """Emit an elementwise op. The result has the layout of the operand."""
    layout = builder.layout(node.args[0])
    output = Value(tensor_of(node).dtype, layout.value.dims)
    builder.alias(node, TensorLayout(output, layout.order))
    builder.op(spec, [layout.value], output, node)


def _lower_quantize(builder: Builder, node: Node) -> None:
    _, scale, zero_point, low, high, _ = node.args
    _emit(builder, node, Quantize(OutputQuantization(1.0 / scale, zero_point, low, high)))


def _lower_dequantize(builder: Builder, node: Node) -> None:
    if builder.program.constant(node) is None:
        _emit(builder, node, Dequantize(QuantParams(node.args[2], node.args[1])))


def _refuses_tensor(at: Callable[[Node], Any], what: str) -> Callable[[Program, Node], Refusal]:
    def refuses(program: Program, node: Node) -> Refusal:
        if program.constant(node) is not None:
            return None
        return (
            None
            if tensor_of(at(node)).dtype in _INT8_DTYPES
            else (f"{what} of dtypes other than int8 and uint8 is not supported")
        )

    return refuses


def _refuses_channels(program: Program, node: Node) -> Refusal:
    return None if program.constant(node) is not None else "per-channel dequantization is only supported for constants"


RULES: dict[OpOverload, Rule] = {
    _ops.quantize_per_tensor.default: Rule(
        _lower_quantize, _refuses_tensor(lambda node: node, "quantization"), dtypes=_DTYPES
    ),
    _ops.dequantize_per_tensor.default: Rule(
        _lower_dequantize, _refuses_tensor(lambda node: node.args[0], "dequantization"), dtypes=_DTYPES
    ),
    _ops.dequantize_per_channel.default: Rule(_lower_dequantize, _refuses_channels, dtypes=_DTYPES),
}
