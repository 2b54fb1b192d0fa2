"""Matches dynamic quantization to int8 followed by dequantization."""

import operator
from dataclasses import dataclass

import torch
from torch.fx import Node

from exir.graph.quantized_weight import edge_name, origin

_INT8_LIMITS = [(-128, 127)] * 2


@dataclass(frozen=True)
class _DynamicScheme:
    """The operators of `quantized_decomposed` for one scheme of dynamic quantization."""

    choose: str
    quantize: str
    dequantize: str


_OF_ROWS = _DynamicScheme(
    "choose_qparams_per_token_asymmetric", "quantize_per_token", "dequantize_per_token"
)
_OF_TENSORS = _DynamicScheme(
    "choose_qparams.tensor", "quantize_per_tensor.tensor", "dequantize_per_tensor.tensor"
)


def quantized_by_rows(dequantized: Node) -> Node | None:
    """Return the float tensor before dynamic quantization per row."""
    choice = _choose_params_call(dequantized, _OF_ROWS)
    return None if choice is None else choice.args[0]


def quantized_as_whole(dequantized: Node) -> tuple[Node, float] | None:
    """Return the float tensor before dynamic quantization per tensor, and `eps`."""
    choice = _choose_params_call(dequantized, _OF_TENSORS)
    if choice is None or tuple(choice.args[1:3]) != _INT8_LIMITS[0] or choice.args[4] != torch.int8:
        return None
    return choice.args[0], choice.args[3]


def _choose_params_call(dequantized: Node, scheme: _DynamicScheme) -> Node | None:
    """Return the call that chose the parameters of quantize and dequantize."""
    quantized = dequantized.args[0]
    if not (_is_call_of(dequantized, scheme.dequantize) and _is_call_of(quantized, scheme.quantize)):
        return None
    found = [_choosing_call(arg, scheme) for node in (dequantized, quantized) for arg in node.args[1:3]]
    limits = [tuple(node.args[3:5]) for node in (dequantized, quantized)]
    choice = found[0][0]
    is_one = found == [(choice, 0), (choice, 1)] * 2 and limits == _INT8_LIMITS
    return choice if is_one and choice is not None and choice.args[0] is quantized.args[0] else None


def _choosing_call(parameter: object, scheme: _DynamicScheme) -> tuple[Node | None, int]:
    """Return the call that chose a parameter, and the index of its result.

    Index 0 is the scale, 1 the zero point.
    """
    item = origin(parameter)
    if (
        isinstance(item, Node)
        and item.target is operator.getitem
        and _is_call_of(item.args[0], scheme.choose)
    ):
        return item.args[0], item.args[1]
    return None, 0


def _is_call_of(node: object, name: str) -> bool:
    return isinstance(node, Node) and edge_name(node) == f"quantized_decomposed::{name}"
