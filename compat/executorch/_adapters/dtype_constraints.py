"""Dtype constraints in the schemas of edge operators, with the official interface.

By default, operands have the dtypes of the operator table, and results any dtype of the file format. An entry
in `declared` overrides both.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import torch
from torch._C import Argument, FunctionSchema

from exir.dialects.edge import EdgeOpOverload
from exir.operators.properties_of import properties_of
from exir.schema import ScalarType
from exir.tensor import dtype_of
from exir.verification.dtypes import KINDS, STORABLE

# By operator: `type_alias` maps letters to names of dtypes; `type_constraint` maps operands and
# results to letters.
declared: dict[str, Mapping[str, Any]] = {}


class AllowedDtypeSet:
    """A set of dtypes from which a call chooses one."""

    def __init__(self, types: set[torch.dtype]) -> None:
        self.types = types
        self._chosen: torch.dtype | None = None

    def reduce_to(self, t: torch.dtype) -> bool:
        """Choose a dtype. Return false if it is not allowed."""
        is_allowed = t in self
        self._chosen = t if is_allowed else self._chosen
        return is_allowed

    def clear(self) -> None:
        """Undo the choice."""
        self._chosen = None

    def __contains__(self, dtype: torch.dtype) -> bool:
        return dtype in self.types if self._chosen is None else dtype == self._chosen


class FunctionDtypeConstraint:
    """The valid combinations of dtypes of a call.

    In each alternative, operands and results with the same letter have the same dtype.
    """

    def __init__(
        self,
        essential_tensor_io_names: list[str],
        optional_tensor_io_names: list[str],
        type_alias: Mapping[str, Iterable[torch.dtype]],
        type_constraint: list[dict[str, str]],
    ) -> None:
        self.essential_tensor_io_names = essential_tensor_io_names
        self.optional_tensor_io_names = optional_tensor_io_names
        self.type_alias = {letter: AllowedDtypeSet(set(types)) for letter, types in type_alias.items()}
        self.type_constraint = type_constraint
        known = {*essential_tensor_io_names, *optional_tensor_io_names}
        for constraint in type_constraint:
            if not known <= constraint.keys():
                raise RuntimeError(f"type_constraint: missing {', '.join(sorted(known - constraint.keys()))}")

    def validate(self, types: Mapping[str, torch.dtype | None]) -> bool:
        """Return true if the combination is valid. `types` maps names to dtypes, or None."""
        if not set(self.essential_tensor_io_names) <= types.keys() <= self.type_constraint[0].keys():
            return False
        return any(self._allows_combination(way, types) for way in self.type_constraint)

    def _allows_combination(self, way: Mapping[str, str], types: Mapping[str, torch.dtype | None]) -> bool:
        is_allowed = all(dtype is None or self.type_alias[way[name]].reduce_to(dtype) for name, dtype in types.items())
        for alias in self.type_alias.values():
            alias.clear()
        return is_allowed

    def __contains__(self, name: str) -> bool:
        return name in self.type_constraint[0]

    def __getitem__(self, name: str) -> set[torch.dtype]:
        """Return all dtypes of an operand or result."""
        letters = (way[name] for way in self.type_constraint if name in way)
        return {dtype for letter in letters for dtype in self.type_alias[letter].types}


class _ConstrainedArgument:
    """An argument or result with `allowed_types`."""

    def __init__(self, argument: Argument, allowed_types: set[torch.dtype]) -> None:
        self.argument, self.allowed_types = argument, allowed_types

    def __getattr__(self, name: str) -> Any:
        return getattr(self.argument, name)


class _ConstrainedSchema:
    """A schema with `dtype_constraint`, and the dtypes of arguments and results."""

    def __init__(self, op: torch._ops.OpOverload) -> None:
        self.schema, self.dtype_constraint = op._schema, _constraint_of(op)
        self.arguments = [self._constrained_argument(argument.name, argument) for argument in op._schema.arguments]
        self.returns = [
            self._constrained_argument(name, result) for name, result in _constrained_results(op._schema).items()
        ]

    def _constrained_argument(self, name: str, argument: Argument) -> Any:
        if name not in self.dtype_constraint:
            return argument
        return _ConstrainedArgument(argument, self.dtype_constraint[name])

    def __getattr__(self, name: str) -> Any:
        return getattr(self.schema, name)

    def __str__(self) -> str:
        return str(self.schema)


def _constrained_results(schema: FunctionSchema) -> dict[str, Argument]:
    return {result.name or f"__ret_{index}": result for index, result in enumerate(schema.returns)}


def _constraint_of(op: torch._ops.OpOverload) -> FunctionDtypeConstraint:
    tensors = {argument.name: argument for argument in op._schema.arguments if _holds_tensors(argument)}
    optional = [name for name, argument in tensors.items() if str(argument.type).startswith("Optional")]
    results = [name for name, result in _constrained_results(op._schema).items() if _holds_tensors(result)]
    essential = [name for name in (*tensors, *results) if name not in optional]
    entry = declared.get(op.name())
    if entry is None:
        return FunctionDtypeConstraint(essential, optional, *_of_table(op, (*tensors, *results)))
    aliases = {letter: [_parse_dtype(name) for name in names] for letter, names in entry["type_alias"].items()}
    return FunctionDtypeConstraint(essential, optional, aliases, entry["type_constraint"])


def _parse_dtype(name: str) -> torch.dtype:
    """Return the dtype that has this C++ name in PyTorch, such as `Float`."""
    in_complex = {"ComplexFloat": "COMPLEX64", "ComplexDouble": "COMPLEX128"}
    return dtype_of(ScalarType[in_complex.get(name, name.upper())])


def _holds_tensors(argument: Argument) -> bool:
    return "Tensor" in str(argument.type)


def _of_table(
    op: torch._ops.OpOverload, names: Iterable[str]
) -> tuple[dict[str, Iterable[torch.dtype]], list[dict[str, str]]]:
    """Return the constraint of the operator table.

    Operands that must have the same dtype share a letter.
    """
    properties = properties_of(op)
    first = next(iter(properties.same_dtype), None)
    letters = {name: first if name in properties.same_dtype else name for name in names}
    kinds = {letters[name]: KINDS[kind] for name, kind in properties.dtypes.items() if name in letters}
    return {str(letter): kinds.get(letter, STORABLE) for letter in letters.values()}, [
        {name: str(letter) for name, letter in letters.items()}
    ]


@cache
def _schema_of(edge_op: EdgeOpOverload) -> _ConstrainedSchema:
    return _ConstrainedSchema(edge_op._op)


def give() -> None:
    """Add constraints to the schemas of edge operators."""
    EdgeOpOverload._schema = property(_schema_of)  # type: ignore[attr-defined]


give()


regular_tensor_dtypes_to_str = {
    torch.bool: "Bool",
    torch.uint8: "Byte",
    torch.int8: "Char",
    torch.int16: "Short",
    torch.int32: "Int",
    torch.int64: "Long",
    torch.float16: "Half",
    torch.bfloat16: "BFloat16",
    torch.float32: "Float",
    torch.float64: "Double",
    torch.uint16: "UInt16",
    torch.complex64: "ComplexFloat",
    torch.complex128: "ComplexDouble",
}
quantized_tensor_dtypes_to_str = {torch.qint8: "QINT8", torch.quint8: "QUINT8"}
regular_tensor_str_to_dtypes = {name: dtype for dtype, name in regular_tensor_dtypes_to_str.items()}
quantized_tensor_str_to_dtypes = {name: dtype for dtype, name in quantized_tensor_dtypes_to_str.items()}
