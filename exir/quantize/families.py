"""Classifies ATen operators by the ranges of their operands and results in int8."""

from enum import Enum, auto

import torch
from torch import Tensor
from torch.fx import Node


class Family(Enum):
    """How an operator is quantized."""

    WEIGHTED = auto()
    """A GEMM or convolution whose second operand is a constant weight."""
    BINARY = auto()
    """Elementwise on two tensors; the operands and the result have separate ranges."""
    UNARY = auto()
    """Elementwise on the first operand, so a lookup table has 256 results."""
    PASSING = auto()
    """Moves, averages or maximizes elements of the first operand; the result has its range."""
    JOINING = auto()
    """Moves elements of several tensors; all of them share the range of the result."""


_MEMBERS = {
    Family.WEIGHTED: "conv1d conv2d conv3d linear",
    Family.BINARY: "add sub mul maximum minimum",
    Family.UNARY: "relu relu6 hardtanh clamp leaky_relu hardswish hardsigmoid sigmoid tanh silu elu gelu neg abs",
    Family.PASSING: (
        "max_pool1d max_pool2d max_pool3d avg_pool1d avg_pool2d avg_pool3d adaptive_avg_pool1d adaptive_avg_pool2d"
        " adaptive_avg_pool3d mean amax amin flatten view reshape permute transpose t squeeze unsqueeze expand slice"
        " select dropout clone contiguous flip roll repeat unflatten pixel_shuffle pixel_unshuffle channel_shuffle"
        " upsample_nearest1d upsample_nearest2d upsample_bilinear2d index_select narrow pad constant_pad_nd"
    ),
    Family.JOINING: "cat stack",
}
_FAMILIES = {f"aten::{name}": family for family, names in _MEMBERS.items() for name in names.split()}

# Operators whose result can be clamped before it is quantized, as limits of int8.
_BOUNDS = ("aten::relu", "aten::relu6", "aten::hardtanh", "aten::clamp")
_BOUNDED = (
    *(f"aten::{name}" for name in _MEMBERS[Family.WEIGHTED].split()),
    "aten::add",
    "aten::sub",
    "aten::mul",
)


def operator_name(node: Node) -> str:
    """Return the name without overload, such as `aten::add`; empty for other nodes."""
    schema = getattr(node.target, "_schema", None)
    return schema.name if node.op == "call_function" and schema is not None else ""


def quantizes(target: object) -> bool:
    """Return true if the operator quantizes float values."""
    schema = getattr(target, "_schema", None)
    namespace, _, name = (schema.name if schema is not None else "").partition("::")
    return namespace in ("quantized_decomposed", "torchao") and name.startswith("quantize_")


def gives_float(node: Node) -> bool:
    """Return true if the result is a float32 tensor."""
    value = node.meta.get("val")
    return isinstance(value, Tensor) and value.dtype == torch.float32


def computes_float(node: Node) -> bool:
    """Return true if the result, or the first one, is a floating-point tensor."""
    return float_dtype(node) is not None


def float_dtype(node: Node) -> torch.dtype | None:
    """Return the dtype of the (first) result, or None if it is not floating-point."""
    value = node.meta.get("val")
    first = value[0] if isinstance(value, (list, tuple)) and value else value
    return first.dtype if isinstance(first, Tensor) and first.dtype.is_floating_point else None


def family_of(node: Node) -> Family | None:
    """Return the quantization family of `node`, or None if it has no int8 form."""
    family = _FAMILIES.get(operator_name(node))
    if _pads_with_other_than_zero(node):
        return None
    if family is Family.BINARY and not all(isinstance(operand, Node) for operand in node.args[:2]):
        return Family.UNARY  # the other operand is a scalar
    return family


def _pads_with_other_than_zero(node: Node) -> bool:
    """Return true if padding has a nonzero constant.

    Every quantization range contains 0, but maybe not the constant. Other modes repeat elements.
    """
    name = operator_name(node)
    if name == "aten::constant_pad_nd":
        return bool(_argument_of(node, 2))
    return (
        name == "aten::pad"
        and _argument_of(node, 2, "constant") == "constant"
        and bool(_argument_of(node, 3))
    )


def _argument_of(node: Node, index: int, default: object = None) -> object:
    """Return a positional argument, or `default`."""
    return node.args[index] if len(node.args) > index else default


def bound_after(node: Node) -> Node | None:
    """Return the clamp that is the only user of `node`, if any."""
    users = list(node.users)
    if len(users) != 1 or operator_name(node) not in _BOUNDED or operator_name(users[0]) not in _BOUNDS:
        return None
    return users[0] if users[0].all_input_nodes == [node] else None
