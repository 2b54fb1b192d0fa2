"""Which dtypes an edge operator's schema says that it takes and gives, under the official names.

The dtypes of operands are those of the operator table, of which a call may break none; results may have any dtype that a
program can hold. What is put into `declared` says it in another way, and of results as well.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import torch
from torch._C import Argument, FunctionSchema

from exir.dialects.edge import EdgeOpOverload
from exir.operators.facts_of import facts_of
from exir.schema import ScalarType
from exir.tensor import dtype_of
from exir.verification.dtypes import KINDS, STORABLE

# Operator → its `type_alias`, names of dtypes under a letter, and `type_constraint`, letters of operands and results.
declared: dict[str, Mapping[str, Any]] = {}


class AllowedDtypeSet:
    """Dtypes of which one is chosen for a call."""

    def __init__(self, types: set[torch.dtype]) -> None:
        self.types = types
        self._chosen: torch.dtype | None = None

    def reduce_to(self, t: torch.dtype) -> bool:
        """Choose one; False when it is not allowed."""
        is_allowed = t in self
        self._chosen = t if is_allowed else self._chosen
        return is_allowed

    def clear(self) -> None:
        """Take the choice back."""
        self._chosen = None

    def __contains__(self, dtype: torch.dtype) -> bool:
        return dtype in self.types if self._chosen is None else dtype == self._chosen


class FunctionDtypeConstraint:
    """The ways in which a call may have dtypes: in each, operands and results under one letter have one dtype."""

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
        for each in type_constraint:
            if not known <= each.keys():
                raise RuntimeError(f"type_constraint says nothing of {', '.join(sorted(known - each.keys()))}")

    def validate(self, types: Mapping[str, torch.dtype | None]) -> bool:
        """Whether a call may have these dtypes, by name; None is an operand without any."""
        if not set(self.essential_tensor_io_names) <= types.keys() <= self.type_constraint[0].keys():
            return False
        return any(self._allows(way, types) for way in self.type_constraint)

    def _allows(self, way: Mapping[str, str], types: Mapping[str, torch.dtype | None]) -> bool:
        is_allowed = all(dtype is None or self.type_alias[way[name]].reduce_to(dtype) for name, dtype in types.items())
        for each in self.type_alias.values():
            each.clear()
        return is_allowed

    def __contains__(self, name: str) -> bool:
        return name in self.type_constraint[0]

    def __getitem__(self, name: str) -> set[torch.dtype]:
        """All dtypes that an operand or result may have."""
        letters = (way[name] for way in self.type_constraint if name in way)
        return {dtype for letter in letters for dtype in self.type_alias[letter].types}


class _Constrained:
    """An argument or result with `allowed_types`."""

    def __init__(self, argument: Argument, allowed_types: set[torch.dtype]) -> None:
        self.argument, self.allowed_types = argument, allowed_types

    def __getattr__(self, name: str) -> Any:
        return getattr(self.argument, name)


class _ConstrainedSchema:
    """A schema with `dtype_constraint`, and with the dtypes of each argument and result."""

    def __init__(self, op: torch._ops.OpOverload) -> None:
        self.schema, self.dtype_constraint = op._schema, _constraint(op)
        self.arguments = [self._constrained(each.name, each) for each in op._schema.arguments]
        self.returns = [self._constrained(name, each) for name, each in _results(op._schema).items()]

    def _constrained(self, name: str, argument: Argument) -> Any:
        if name not in self.dtype_constraint:
            return argument
        return _Constrained(argument, self.dtype_constraint[name])

    def __getattr__(self, name: str) -> Any:
        return getattr(self.schema, name)

    def __str__(self) -> str:
        return str(self.schema)


def _results(schema: FunctionSchema) -> dict[str, Argument]:
    return {each.name or f"__ret_{index}": each for index, each in enumerate(schema.returns)}


def _constraint(op: torch._ops.OpOverload) -> FunctionDtypeConstraint:
    tensors = {each.name: each for each in op._schema.arguments if _holds_tensors(each)}
    optional = [name for name, each in tensors.items() if str(each.type).startswith("Optional")]
    results = [name for name, each in _results(op._schema).items() if _holds_tensors(each)]
    essential = [name for name in (*tensors, *results) if name not in optional]
    entry = declared.get(op.name())
    if entry is None:
        return FunctionDtypeConstraint(essential, optional, *_of_table(op, (*tensors, *results)))
    aliases = {letter: [_dtype(name) for name in names] for letter, names in entry["type_alias"].items()}
    return FunctionDtypeConstraint(essential, optional, aliases, entry["type_constraint"])


def _dtype(name: str) -> torch.dtype:
    """The dtype that PyTorch's C++ names so: `Float`."""
    in_complex = {"ComplexFloat": "COMPLEX64", "ComplexDouble": "COMPLEX128"}
    return dtype_of(ScalarType[in_complex.get(name, name.upper())])


def _holds_tensors(argument: Argument) -> bool:
    return "Tensor" in str(argument.type)


def _of_table(
    op: torch._ops.OpOverload, names: Iterable[str]
) -> tuple[dict[str, Iterable[torch.dtype]], list[dict[str, str]]]:
    """What the operator table says: a letter for each dtype that has to be one."""
    facts = facts_of(op)
    first = next(iter(facts.same_dtype), None)
    letters = {name: first if name in facts.same_dtype else name for name in names}
    kinds = {letters[name]: KINDS[kind] for name, kind in facts.dtypes.items() if name in letters}
    return {str(letter): kinds.get(letter, STORABLE) for letter in letters.values()}, [
        {name: str(letter) for name, letter in letters.items()}
    ]


@cache
def _schema_of(edge_op: EdgeOpOverload) -> _ConstrainedSchema:
    return _ConstrainedSchema(edge_op._op)


def give() -> None:
    """Let edge operators have such schemas."""
    EdgeOpOverload._schema = property(_schema_of)  # type: ignore[attr-defined]


give()
