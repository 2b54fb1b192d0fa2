"""Arguments of an operator as values of a plan, by the types of the operator's schema."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import torch
from torch.fx import Node

from exir import schema
from exir.emit._values import Values
from exir.error import UnsupportedOperatorError

# Index of a node's value, or of each of its values.
Indices: TypeAlias = int | list[int]
ABSENT = -1
"""Stands for None in a list of optional tensors."""


class ArgumentEmitter:
    """Adds values for arguments; a node's value is there already."""

    def __init__(self, values: Values, indices: Mapping[Node, Indices]) -> None:
        self._values = values
        self._indices = indices

    def emit(self, value: Any, argument: torch.Argument, node: Node) -> int:
        """The index of the value of one argument of the operator that `node` calls."""
        kind = _without_optional(argument.type)
        if value is None or isinstance(value, Node):
            return self._single(value, node)
        if isinstance(kind, torch.ListType):
            items = value if isinstance(value, (list, tuple)) else [value] * (argument.N or 1)
            return self._list(items, kind.getElementType(), node)
        return self._values.add_constant(_converted(value, kind), node)

    def _single(self, value: Node | None, node: Node) -> int:
        index = None if value is None else self._indices[value]
        if index is None:
            return self._values.add_constant(None)
        return self._values.add(schema.TensorList(index)) if isinstance(index, list) else index

    def _list(self, items: Any, element: Any, node: Node) -> int:
        emit = self._list_emitter(element)
        if emit is None:
            raise UnsupportedOperatorError(f"a .pte has no value for a list of {element}", node)
        return emit(items, node)

    def _list_emitter(self, element: Any) -> Callable[[Any, Node], int] | None:
        if isinstance(element, torch.OptionalType):
            return self._optional_tensors
        return {
            "TensorType": self._tensors,
            "IntType": self._integers,
            "SymIntType": self._integers,
            "FloatType": lambda items, node: self._values.add(schema.DoubleList([float(i) for i in items])),
            "BoolType": lambda items, node: self._values.add(schema.BoolList([bool(i) for i in items])),
        }.get(element.kind())

    def _tensors(self, items: list[Node], node: Node) -> int:
        return self._values.add(schema.TensorList([self._tensor(item) for item in items]))

    def _optional_tensors(self, items: list[Node | None], node: Node) -> int:
        indices = [ABSENT if item is None else self._tensor(item) for item in items]
        return self._values.add(schema.OptionalTensorList(indices))

    def _tensor(self, item: Node) -> int:
        index = self._indices[item]
        assert isinstance(index, int)
        return index

    def _integers(self, items: list[Any], node: Node) -> int:
        indices = [self.number(item, node) for item in items]
        return self._values.add_int_list(indices)

    def number(self, item: Any, node: Node) -> int:
        """The index of a number that is a node's or a constant."""
        if isinstance(item, Node):
            return self._single(item, node)
        return self._values.add_constant(item, node)


def _without_optional(kind: Any) -> Any:
    return kind.getElementType() if isinstance(kind, torch.OptionalType) else kind


def _converted(value: Any, kind: Any) -> Any:
    """`value` as the schema's type wants it: `1` for a float is `1.0`."""
    converter = {"FloatType": float, "BoolType": bool}.get(kind.kind())
    return converter(value) if converter and isinstance(value, (bool, int)) else value
