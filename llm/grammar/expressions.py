"""Expressions of grammars over bytes, and characters as their UTF-8 bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from text.generate.character_sets import CharacterSet

_SURROGATES = (0xD800, 0xDFFF)
# The last code point of each number of UTF-8 bytes.
_LAST_POINTS = (0x7F, 0x7FF, 0xFFFF, 0x10FFFF)


class GrammarError(ValueError):
    """A grammar is not valid or not supported."""


@dataclass(frozen=True)
class Byte:
    """A byte from `first` to `last`."""

    first: int
    last: int


@dataclass(frozen=True)
class Concatenation:
    """Expressions one after another."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True)
class Choice:
    """One of these expressions. Without options, nothing matches."""

    options: tuple[Expression, ...]


@dataclass(frozen=True)
class Repetition:
    """Repetitions of an expression, from `least` to `most` (None: no limit)."""

    part: Expression
    least: int
    most: int | None


@dataclass(frozen=True)
class Call:
    """A rule, by its name."""

    rule: str


Expression: TypeAlias = Byte | Concatenation | Choice | Repetition | Call

EMPTY = Concatenation(())


def concatenation(*parts: Expression) -> Expression:
    """Return expressions one after another, without nesting."""
    flat = [inner for part in parts for inner in (part.parts if isinstance(part, Concatenation) else (part,))]
    return flat[0] if len(flat) == 1 else Concatenation(tuple(flat))


def choice(options: Iterable[Expression]) -> Expression:
    """Return one of these expressions."""
    distinct = tuple(dict.fromkeys(options))
    return distinct[0] if len(distinct) == 1 else Choice(distinct)


def optional(part: Expression) -> Expression:
    """Return an expression or nothing."""
    return Repetition(part, 0, 1)


def literal(text: str) -> Expression:
    """Return the UTF-8 bytes of a text."""
    return concatenation(*(Byte(byte, byte) for byte in text.encode()))


def characters(members: CharacterSet) -> Expression:
    """Return one character of a set as its UTF-8 bytes. Surrogates are excluded."""
    return choice(
        concatenation(*(Byte(*span) for span in spans))
        for first, last in members
        for begin, end in _encodable(first, last)
        for spans in _byte_spans(chr(begin).encode(), chr(end).encode())
    )


def _encodable(first: int, last: int) -> Iterator[tuple[int, int]]:
    """Divide code points into ranges whose UTF-8 has the same number of bytes."""
    start = 0
    for limit in (_LAST_POINTS[0], _LAST_POINTS[1], _SURROGATES[0] - 1, _SURROGATES[1], *_LAST_POINTS[2:]):
        begin, end = max(first, start), min(last, limit)
        if begin <= end and limit != _SURROGATES[1]:
            yield begin, end
        start = limit + 1


def _byte_spans(first: bytes, last: bytes) -> Iterator[list[tuple[int, int]]]:
    """Divide a range of characters into sequences of byte ranges."""
    if len(first) == 1:
        yield [(first[0], last[0])]
        return
    lowest, highest = b"\x80" * (len(first) - 1), b"\xbf" * (len(first) - 1)
    if first[0] == last[0]:
        yield from ([(first[0], first[0]), *rest] for rest in _byte_spans(first[1:], last[1:]))
        return
    begin, end = first[0], last[0]
    if first[1:] != lowest:
        yield from ([(begin, begin), *rest] for rest in _byte_spans(first[1:], highest))
        begin += 1
    if last[1:] != highest:
        yield from ([(end, end), *rest] for rest in _byte_spans(lowest, last[1:]))
        end -= 1
    if begin <= end:
        yield [(begin, end), *[(0x80, 0xBF)] * (len(first) - 1)]


def calls(expression: Expression) -> Iterator[str]:
    """Yield the rules that an expression calls."""
    if isinstance(expression, Call):
        yield expression.rule
    for part in inner_parts(expression):
        yield from calls(part)


def inner_parts(expression: Expression) -> tuple[Expression, ...]:
    """Return the expressions that an expression consists of."""
    if isinstance(expression, Concatenation):
        return expression.parts
    if isinstance(expression, Choice):
        return expression.options
    return (expression.part,) if isinstance(expression, Repetition) else ()
