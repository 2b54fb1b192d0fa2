"""C expressions over the properties of a call, for rows of kernel tables.

A field in braces represents a property of the call, and is a number in C. An `et_kernel_prepare_fn` receives
the same properties: shapes are upper bounds, and scalars that the program computes have their initial values.

    {input.rank}                    of a tensor
    {input.dtype}                   ET_SCALAR_TYPE_FLOAT32, ...
    {input.shape[1]}                of a list of integers; [-1] is the last
    {input.shape[2:].largest}       0 for an empty list; also `product` and `count`
    {input.strides[1]}              in elements
    {input.is_row_major}            1 or 0
    {tensors.rank}                  of a list of tensors: of the first one
    {bias.is_given}                 the only property of an absent optional tensor
    {groups}, {alpha.is_one}        of a scalar; true is 1, false is 0
    {stride[0]}, {stride.largest}   of a list of integers

All other braces must be doubled.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import Formatter

from exir.operators.rules import Call, TensorInfo


def fields(expression: str) -> set[str]:
    """Return the arguments of an expression. Raises ValueError for malformed fields."""
    return {_parse_field(field) for field in _expression_fields(expression)}


def fill(expression: str, call: Call) -> str:
    """Return an expression with the properties of a call. Raises ValueError."""
    properties: dict[str, object] = {
        name: _describe_number(value) for name, value in call.numbers.items()
    }
    properties |= {name: _describe_tensor(tensors) for name, tensors in call.tensors.items()}
    for field in _expression_fields(expression):
        _check_property(field, properties)
    return expression.format_map(properties)


def _expression_fields(expression: str) -> list[str]:
    found = []
    for _, field, specification, conversion in Formatter().parse(expression):
        if field is not None:
            if not _parse_field(field) or specification or conversion:
                raise ValueError(
                    f"field {{{field}}} must be a property of an argument, without a format"
                )
            found.append(field)
    return found


def _parse_field(field: str) -> str:
    return field.partition("[")[0].partition(".")[0]


def _check_property(field: str, properties: Mapping[str, object]) -> None:
    try:
        found, _ = Formatter().get_field(field, (), properties)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{{{field}}}: unknown property of the call; see kernels/README.md") from error
    if not isinstance(found, (int, str, _NumberArgument)):
        raise ValueError(f"{{{field}}}: not a number; select one of its properties")


@dataclass(frozen=True)
class _NumberArgument:
    value: float

    def __str__(self) -> str:
        return repr(self.value) if isinstance(self.value, float) else str(int(self.value))

    @property
    def is_one(self) -> int:
        return int(self.value == 1)


@dataclass(frozen=True)
class _NumberListArgument:
    """A list of integers."""

    values: tuple[int, ...]

    def __getitem__(self, key: int | str) -> int | _NumberListArgument:
        """Return an element or a slice; `key` is the text between brackets, or an integer."""
        first, colon, end = str(key).partition(":")
        if colon:
            return _NumberListArgument(self.values[_parse_bound(first) : _parse_bound(end)])
        return self.values[int(key)]

    @property
    def largest(self) -> int:
        return max(self.values, default=0)

    @property
    def product(self) -> int:
        return math.prod(self.values)

    @property
    def count(self) -> int:
        return len(self.values)


def _parse_bound(text: str) -> int | None:
    return int(text) if text else None


@dataclass(frozen=True)
class _TensorArgument:
    dtype: str
    rank: int
    shape: _NumberListArgument
    strides: _NumberListArgument
    is_row_major: int
    is_given: int = 1


@dataclass(frozen=True)
class _AbsentArgument:
    is_given: int = 0


def _describe_number(value: float | Sequence[int]) -> _NumberArgument | _NumberListArgument:
    return _NumberListArgument(tuple(value)) if isinstance(value, Sequence) else _NumberArgument(value)


def _describe_tensor(tensors: Sequence[TensorInfo]) -> _AbsentArgument | _TensorArgument:
    if not tensors:
        return _AbsentArgument()
    tensor = tensors[0]
    strides = _contiguous_strides(tensor)
    return _TensorArgument(
        dtype=f"ET_SCALAR_TYPE_{tensor.dtype.upper()}",
        rank=len(tensor.shape),
        shape=_NumberListArgument(tensor.shape),
        strides=_NumberListArgument(strides),
        is_row_major=int(_is_row_major(tensor.shape, strides)),
    )


def _contiguous_strides(tensor: TensorInfo) -> tuple[int, ...]:
    """Return the strides as the runtime computes them: a size of 0 counts as 1."""
    strides = [1] * len(tensor.shape)
    stride = 1
    for dim in reversed(tensor.dim_order):
        strides[dim] = stride
        stride *= max(tensor.shape[dim], 1)
    return tuple(strides)


def _is_row_major(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Return true if the strides are row-major, ignoring dimensions of size 1."""
    stride = 1
    for size, actual in zip(reversed(shape), reversed(strides)):
        if size != 1 and actual != stride:
            return False
        stride *= size
    return True
