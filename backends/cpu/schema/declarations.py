"""Declares ops: their tensors, and their attributes in 32-bit words.

An op is a frozen dataclass that derives from `OpSpec`. Its fields are its attributes, in the order
of the payload. Class variables declare its code, tensors and dims. The module does not need torch.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import Enum, IntEnum
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, ClassVar, get_args, get_origin, get_type_hints

from backends.cpu.schema.kernel_sizes import MAX_RANK
from backends.cpu.schema.words import (
    float_of_word,
    int64_of_words,
    int_of_word,
    word_of_float,
    word_of_int,
    words_of_int64,
)

if TYPE_CHECKING:
    from typing import Self

INT32_MAX = 2**31 - 1
INT32_MIN = -(2**31)


class Dtype(IntEnum):
    """Scalar types of the file format that ops support."""

    UINT8 = 0
    INT8 = 1
    INT16 = 2
    INT32 = 3
    INT64 = 4
    FLOAT16 = 5
    FLOAT32 = 6
    BOOL = 11
    BFLOAT16 = 15


F32 = (Dtype.FLOAT32,)
F16 = (Dtype.FLOAT16, Dtype.BFLOAT16)
I32 = (Dtype.INT32,)
QS8 = (Dtype.INT8, Dtype.UINT8)
INDEX = (Dtype.INT64, Dtype.INT32)
ANY = tuple(Dtype)


class Int64(int):
    """An integer that is encoded as two words, the lower one first."""


class Unsigned(int):
    """An unsigned 32-bit integer. The writer rejects larger values."""


class Count(Enum):
    """Number of tensors that a declaration describes."""

    ONE = "one"
    OPTIONAL = "optional"
    MANY = "many"


@dataclass(frozen=True)
class Tensor:
    """An input, an output or a workspace of an op.

    shape: dimensions in memory order, outermost first. "..." matches any number of dimensions.
        "|" separates alternatives.
    limits: minimum and maximum number of tensors, for `Count.MANY`.
    """

    name: str
    shape: str
    dtypes: Sequence[Dtype] = F32
    count: Count = Count.ONE
    limits: tuple[int, int] = (1, 1)

    @property
    def ranks(self) -> tuple[int, int]:
        """The minimum and the maximum rank that `shape` allows."""
        limits = [_ranks(shape.strip()) for shape in self.shape.split("|")]
        return min(low for low, _ in limits), max(high for _, high in limits)

    @property
    def plain_dims(self) -> tuple[str, ...] | None:
        """The dimensions of one tensor if all are names or constants; otherwise, None."""
        if self.count is not Count.ONE or not re.fullmatch(r"\[(\w+(, \w+)*)?\]", self.shape):
            return None
        return tuple(re.findall(r"\w+", self.shape))


def _ranks(shape: str) -> tuple[int, int]:
    dims = [dim for dim in re.split(r",(?![^(]*\))", shape.strip("[]")) if dim.strip()]
    fixed = [dim for dim in dims if dim.strip() != "..."]
    return len(fixed), MAX_RANK if len(fixed) < len(dims) else len(fixed)


def optional(name: str, shape: str, dtypes: Sequence[Dtype] = F32) -> Tensor:
    """Declare an optional input. Only the last inputs can be optional."""
    return Tensor(name, shape, dtypes, Count.OPTIONAL, (0, 1))


def many(name: str, limits: tuple[int, int], shape: str, dtypes: Sequence[Dtype] = F32) -> Tensor:
    """Declare a variable number of tensors.

    They must be the last inputs or the outputs.
    """
    return Tensor(name, shape, dtypes, Count.MANY, limits)


POSITIVE: Mapping[str, Any] = {"positive": True}
"""Metadata of a float that is positive and finite."""


def bounds(low: int, high: int = INT32_MAX) -> Mapping[str, Any]:
    """Return field metadata that limits an integer or an enum to `low..high`."""
    return {"range": (low, high)}


def bounds_of(**limits: tuple[int, int]) -> Mapping[str, Any]:
    """Return field metadata that overrides the bounds of a nested record's fields."""
    return {"bounds_of": limits}


def at_word(offset: int) -> Mapping[str, Any]:
    """Return the metadata of a field at word `offset`, for fields that share words."""
    return {"offset": offset}


def only_if(**condition: int) -> Mapping[str, Any]:
    """Return the metadata of a field that depends on the value of another field.

    Such a field has a default. It can share words with earlier fields, which it then overwrites. In
    C, the reader always decodes it, so check the other field first.
    """
    ((name, value),) = condition.items()
    return {"only_if": (name, value)}


@dataclass(frozen=True)
class Part:
    """A field of a record: `words` words, starting at word `offset`.

    annotation: type of the field or, if it is repeated, of an element.
    is_repeated: whether the field is a tuple that occupies the remaining words.
    limits_of: limits of the fields of a nested record, by name.
    only_if: name and value of the field that it depends on.
    """

    name: str
    annotation: Any
    offset: int
    words: int
    limits: tuple[int, int]
    is_repeated: bool
    is_positive: bool
    limits_of: Mapping[str, tuple[int, int]]
    only_if: tuple[str, int] | None = None


class Record:
    """Fields that are encoded as consecutive words. Subclasses are frozen dataclasses.

    c_name: name of the C struct without its prefix; by default the class name in lower case.
    is_unsigned: whether fields of type int are unsigned.
    """

    c_name: ClassVar[str | None] = None
    is_unsigned: ClassVar[bool] = False

    def words(self) -> tuple[int, ...]:
        """Encode the fields."""
        words = [0] * word_count(type(self))
        for part in parts_of(type(self)):
            if part.only_if is None or getattr(self, part.only_if[0]) == part.only_if[1]:
                end = None if part.is_repeated else part.offset + part.words
                words[part.offset : end] = _encoded(part, getattr(self, part.name))
        return tuple(words)

    @classmethod
    def read(cls, words: Sequence[int]) -> "Self":
        """Decode the words that `words` returned.

        Raises ValueError for a different number of words.
        """
        if not _fits(cls, len(words)):
            raise ValueError(f"{cls.__name__} does not have {len(words)} attribute words")
        values: dict[str, Any] = {}
        for part in parts_of(cls):
            if part.only_if is None or values[part.only_if[0]] == part.only_if[1]:
                values[part.name] = _decoded(part, words)
        return cls(**values)


class OpSpec(Record):
    """The attributes of an op, and the declaration of the op.

    code: number of the op in payloads. Codes are never reused.
    in_place: index of the input that output 0 may overwrite; None if outputs do not overlap other
        tensors.
    dims: names of the integers that the payload computes for each call; None if their number
        varies. The op then checks the number.
    """

    code: ClassVar[int]
    inputs: ClassVar[tuple[Tensor, ...]] = ()
    outputs: ClassVar[tuple[Tensor, ...]] = ()
    workspaces: ClassVar[tuple[Tensor, ...]] = ()
    dims: ClassVar[tuple[str, ...] | None] = ()
    in_place: ClassVar[int | None] = None

    @classmethod
    def op_name(cls) -> str:
        """Return the name of the op, for example conv_qs8 for `ConvQs8`."""
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower()


_PARTS: dict[type[Record], tuple[Part, ...]] = {}


def parts_of(record: type[Record]) -> tuple[Part, ...]:
    """Return the fields of `record` with their positions."""
    if record not in _PARTS:
        _PARTS[record] = tuple(_parts(record))
    return _PARTS[record]


def word_count(record: type[Record]) -> int:
    """Return the number of words of the fields that are not repeated."""
    return max((part.offset + part.words for part in parts_of(record) if not part.is_repeated), default=0)


def repeated_part(record: type[Record]) -> Part | None:
    """Return the repeated field, which has the remaining words, or None."""
    return next((part for part in parts_of(record) if part.is_repeated), None)


def is_optional_float(annotation: Any) -> bool:
    """Return whether a field is a float or None.

    It is encoded as a flag and the float.
    """
    return get_origin(annotation) is UnionType and set(get_args(annotation)) == {float, NoneType}


def _parts(record: type[Record]) -> Iterator[Part]:
    hints = get_type_hints(record)
    end = 0
    for each in fields(record):  # type: ignore[arg-type]
        annotation = hints[each.name]
        repeats = get_origin(annotation) is tuple and get_args(annotation)[-1] is Ellipsis
        element = get_args(annotation)[0] if repeats else annotation
        if element is int and record.is_unsigned:
            element = Unsigned
        offset = each.metadata.get("offset", end)
        limits = each.metadata.get("range", (INT32_MIN, INT32_MAX))
        part = Part(
            each.name,
            element,
            offset,
            _width(element),
            limits,
            repeats,
            bool(each.metadata.get("positive")),
            each.metadata.get("bounds_of", {}),
            each.metadata.get("only_if"),
        )
        end = max(end, offset + part.words)
        yield part


def _width(annotation: Any) -> int:
    if isinstance(annotation, type) and issubclass(annotation, Record):
        return word_count(annotation)
    if annotation is Int64 or is_optional_float(annotation):
        return 2
    if get_origin(annotation) is tuple:
        return sum(map(_width, get_args(annotation)))
    return 1


def _fits(record: type[Record], count: int) -> bool:
    part, fixed = repeated_part(record), word_count(record)
    return count == fixed if part is None else count >= fixed and (count - fixed) % part.words == 0


def _encoded(part: Part, value: Any) -> Iterator[int]:
    for element in value if part.is_repeated else [value]:
        yield from _words_of(part.annotation, element)


def _words_of(annotation: Any, value: Any) -> Iterator[int]:
    if isinstance(value, Record):
        yield from value.words()
    elif is_optional_float(annotation):
        yield from (int(value is not None), word_of_float(value or 0.0))
    elif get_origin(annotation) is tuple:
        for element, item in zip(get_args(annotation), value, strict=True):
            yield from _words_of(element, item)
    elif annotation is float:
        yield word_of_float(value)
    elif annotation is Int64:
        yield from words_of_int64(value)
    elif annotation is Unsigned:
        yield value
    else:
        yield word_of_int(int(value))


def _decoded(part: Part, words: Sequence[int]) -> Any:
    if not part.is_repeated:
        return _value_of(part.annotation, words[part.offset : part.offset + part.words])
    starts = range(part.offset, len(words), part.words)
    return tuple(_value_of(part.annotation, words[at : at + part.words]) for at in starts)


def _value_of(annotation: Any, words: Sequence[int]) -> Any:
    if isinstance(annotation, type) and issubclass(annotation, Record):
        return annotation.read(words)
    if is_optional_float(annotation):
        return float_of_word(words[1]) if words[0] else None
    if get_origin(annotation) is tuple:
        return tuple(_split(get_args(annotation), words))
    if annotation is float:
        return float_of_word(words[0])
    if annotation is Int64:
        return Int64(int64_of_words(*words))
    if annotation is Unsigned:
        return words[0]
    return annotation(int_of_word(words[0]))


def _split(annotations: Sequence[Any], words: Sequence[int]) -> Iterator[Any]:
    at = 0
    for annotation in annotations:
        yield _value_of(annotation, words[at : at + _width(annotation)])
        at += _width(annotation)
