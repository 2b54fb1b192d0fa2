"""Convert operator arguments to values of a plan, by the operator's schema."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import torch
from torch.fx import Node

from exir import schema
from exir.emit._values import Indices, Values
from exir.error import UnsupportedOperatorError

ABSENT = -1
"""Represents None in a list of optional tensors."""


class ArgumentEmitter:
    """Adds values for arguments. `indices` has the values of nodes already emitted."""

    def __init__(self, values: Values, indices: Mapping[Node, Indices]) -> None:
        self._values = values
        self._indices = indices

    def emit(self, value: Any, argument: torch.Argument, node: Node) -> int:
        """Return the value index of one argument of the operator that `node` calls."""
        kind = _without_optional(argument.type)
        if isinstance(kind, torch.ListType) and not (value is None or isinstance(value, Node)):
            items = value if isinstance(value, (list, tuple)) else [value] * (cast(Any, argument).N or 1)
            return self._emit_list(items, kind.getElementType(), node)
        return self.number(_convert_to_kind(value, kind), node)

    def number(self, value: Any, node: Node) -> int:
        """Return the value index of a node, or of a new value for a constant."""
        if not isinstance(value, Node):
            return self._values.add_constant(value, node)
        index = self._indices[value]
        return self._values.add(schema.TensorList(index)) if isinstance(index, list) else index

    def numbers(self, items: Sequence[Any], node: Node) -> int:
        """Return the index of a new list of integers, whose elements are values."""
        return self._values.add(schema.IntList([self.number(item, node) for item in items]))

    def _emit_list(self, items: Sequence[Any], element: Any, node: Node) -> int:
        if isinstance(element, torch.OptionalType):
            return self._values.add(schema.OptionalTensorList(self._emit_tensor_list(items)))
        match element.kind():
            case "TensorType":
                return self._values.add(schema.TensorList(self._emit_tensor_list(items)))
            case "IntType" | "SymIntType":
                return self.numbers(items, node)
            case "FloatType":
                return self._values.add(schema.DoubleList([float(item) for item in items]))
            case "BoolType":
                return self._values.add(schema.BoolList([bool(item) for item in items]))
        raise UnsupportedOperatorError(
            f"a .pte program cannot store a list of {element}; use tensors, ints, floats or bools", node
        )

    def _emit_tensor_list(self, items: Sequence[Node | None]) -> list[int]:
        indices = [ABSENT if item is None else self._indices[item] for item in items]
        return [index for index in indices if isinstance(index, int)]


def _without_optional(kind: Any) -> Any:
    return kind.getElementType() if isinstance(kind, torch.OptionalType) else kind


def _convert_to_kind(value: Any, kind: Any) -> Any:
    """Convert `value` to the schema's type: `1` for a float becomes `1.0`."""
    converter = {"FloatType": float, "BoolType": bool}.get(kind.kind())
    return converter(value) if converter and isinstance(value, (bool, int)) else value
