"""Which dtypes the operands of an edge operator may have."""

from collections.abc import Iterator, Mapping

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.fx import Node

from exir.error import EdgeDialectError
from exir.graph.opmath import is_factor

_FLOAT = frozenset({torch.float16, torch.bfloat16, torch.float32, torch.float64})
_INDEX = frozenset({torch.int32, torch.int64})
_INTEGRAL = frozenset(
    {torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64}
    | {torch.uint16, torch.uint32, torch.uint64}
)
_FLOAT8 = frozenset(
    {torch.float8_e5m2, torch.float8_e4m3fn, torch.float8_e5m2fnuz, torch.float8_e4m3fnuz}
)
# What a `.pte` has a code for and the edge dialect admits.
STORABLE = _FLOAT | _INTEGRAL | _FLOAT8

# Operator → the operands that must have one and the same dtype.
_SAME: Mapping[str, tuple[str, ...]] = {
    "aten::add.Tensor": ("self", "other"),
    "aten::addmm": ("self", "mat1", "mat2"),
    "aten::bmm": ("self", "mat2"),
    "aten::convolution": ("input", "weight", "bias"),
    "aten::div.Tensor": ("self", "other"),
    "aten::linear": ("input", "weight", "bias"),
    "aten::maximum": ("self", "other"),
    "aten::minimum": ("self", "other"),
    "aten::mm": ("self", "mat2"),
    "aten::mul.Tensor": ("self", "other"),
    "aten::native_layer_norm": ("input", "weight", "bias"),
    "aten::sub.Tensor": ("self", "other"),
    "aten::where.self": ("self", "other"),
}
# Operator → operand → the dtypes that it may have.
_ALLOWED: Mapping[str, Mapping[str, frozenset[torch.dtype]]] = {
    "aten::_log_softmax": {"self": _FLOAT},
    "aten::_native_batch_norm_legit_no_training": {"input": _FLOAT},
    "aten::_softmax": {"self": _FLOAT},
    "aten::avg_pool2d": {"self": _FLOAT},
    "aten::bitwise_not": {"self": _INTEGRAL},
    "aten::embedding": {"weight": _FLOAT, "indices": _INDEX},
    "aten::gather": {"index": _INDEX},
    "aten::gelu": {"self": _FLOAT},
    "aten::index_select": {"index": _INDEX},
    "aten::native_group_norm": {"input": _FLOAT},
    "aten::native_layer_norm": {"input": _FLOAT},
}


def check_dtypes(node: Node, operands: Mapping[str, object]) -> None:
    """Raise `EdgeDialectError` unless an edge operator allows the dtypes that it meets.

    operands: schema argument name → what the node passes for it.
    """
    for tensor in _tensors(node.meta["val"]):
        _check_storable(node, tensor.dtype)
    _check_same(node, node.target._op, operands)
    _check_allowed(node, node.target._op, operands)


def _check_storable(node: Node, dtype: torch.dtype) -> None:
    if dtype not in STORABLE:
        raise EdgeDialectError(
            f"{node.target} yields {dtype}, which a program file cannot hold;"
            " convert it in the model",
            node,
        )


def _check_same(node: Node, op: OpOverload, operands: Mapping[str, object]) -> None:
    names = _SAME.get(op.name(), ())
    found = {name: dtype for name in names if (dtype := _dtype(operands.get(name)))}
    if is_factor(op, 1, _rank(operands.get("other")), found.get("self")):
        return
    if len(set(found.values())) > 1:
        listed = ", ".join(f"{name}: {dtype}" for name, dtype in found.items())
        raise EdgeDialectError(f"{op} wants operands of one dtype, got {listed}", node)


def _check_allowed(node: Node, op: OpOverload, operands: Mapping[str, object]) -> None:
    for name, allowed in _ALLOWED.get(op.name(), {}).items():
        dtype = _dtype(operands.get(name))
        if dtype is not None and dtype not in allowed:
            listed = ", ".join(sorted(str(each) for each in allowed))
            raise EdgeDialectError(f"{op}: '{name}' is {dtype}, allowed are {listed}", node)


def _dtype(operand: object) -> torch.dtype | None:
    value = operand.meta["val"] if isinstance(operand, Node) else None
    return value.dtype if isinstance(value, Tensor) else None


def _rank(operand: object) -> int:
    value = operand.meta["val"] if isinstance(operand, Node) else None
    return value.dim() if isinstance(value, Tensor) else 0


def _tensors(value: object) -> Iterator[Tensor]:
    items = value if isinstance(value, (list, tuple)) else (value,)
    return (item for item in items if isinstance(item, Tensor))
