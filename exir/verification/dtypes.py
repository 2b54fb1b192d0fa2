"""The operand dtypes that edge operators allow."""

from collections.abc import Iterator, Mapping

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.fx import Node

from exir.error import EdgeDialectError
from exir.operators.properties_of import is_factor, properties_of

_FLOAT = frozenset({torch.float16, torch.bfloat16, torch.float32, torch.float64})
_COMPLEX = frozenset({torch.complex64, torch.complex128})
_INDEX = frozenset({torch.int32, torch.int64})
_INTEGRAL = frozenset(
    {torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64}
    | {torch.uint16, torch.uint32, torch.uint64}
)
_FLOAT8 = frozenset(
    {torch.float8_e5m2, torch.float8_e4m3fn, torch.float8_e5m2fnuz, torch.float8_e4m3fnuz}
)
# Dtypes that have a code in `.pte` files and that the edge dialect allows.
STORABLE = _FLOAT | _COMPLEX | _INTEGRAL | _FLOAT8

KINDS: Mapping[str, frozenset[torch.dtype]] = {
    "floating": _FLOAT,
    "index": _INDEX,
    "integral": _INTEGRAL,
}


def check_dtypes(node: Node, operands: Mapping[str, object]) -> None:
    """Raise `EdgeDialectError` if an edge operator does not allow its dtypes.

    operands: the node's operands by schema argument name.
    """
    for tensor in _tensors_in(node.meta["val"]):
        _check_storable(node, tensor.dtype)
    _check_same(node, node.target._op, operands)
    _check_allowed(node, node.target._op, operands)


def _check_storable(node: Node, dtype: torch.dtype) -> None:
    if dtype not in STORABLE:
        raise EdgeDialectError(
            f"{node.target} returns {dtype}, which a program file cannot store; convert it in the model",
            node,
        )


def _check_same(node: Node, op: OpOverload, operands: Mapping[str, object]) -> None:
    found = {
        name: dtype
        for name in properties_of(op).same_dtype
        if (dtype := _operand_dtype(operands.get(name)))
    }
    if is_factor(op, "other", _operand_rank(operands.get("other")), found.get("self")):
        return
    if len(set(found.values())) > 1:
        dtypes_text = ", ".join(f"{name}: {dtype}" for name, dtype in found.items())
        raise EdgeDialectError(f"{op}: operands must have one dtype, got {dtypes_text}", node)


def _check_allowed(node: Node, op: OpOverload, operands: Mapping[str, object]) -> None:
    for name, kind in properties_of(op).dtypes.items():
        dtype, allowed = _operand_dtype(operands.get(name)), KINDS[kind]
        if dtype is not None and dtype not in allowed:
            allowed_text = ", ".join(sorted(str(dtype_) for dtype_ in allowed))
            raise EdgeDialectError(f"{op}: '{name}' is {dtype}; supported: {allowed_text}", node)


def _operand_dtype(operand: object) -> torch.dtype | None:
    value = operand.meta["val"] if isinstance(operand, Node) else None
    return value.dtype if isinstance(value, Tensor) else None


def _operand_rank(operand: object) -> int:
    value = operand.meta["val"] if isinstance(operand, Node) else None
    return value.dim() if isinstance(value, Tensor) else 0


def _tensors_in(value: object) -> Iterator[Tensor]:
    items = value if isinstance(value, (list, tuple)) else (value,)
    return (item for item in items if isinstance(item, Tensor))
