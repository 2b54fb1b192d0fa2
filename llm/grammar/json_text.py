"""Expressions of JSON text: values, strings, numbers in a range, and white space."""

from __future__ import annotations

import json
from typing import Any

from llm.grammar.expressions import (
    EMPTY,
    Byte,
    Call,
    Expression,
    Repetition,
    characters,
    choice,
    concatenation,
    literal,
    optional,
)
from text.generate.character_sets import CharacterSet, complement, of_points, union

# Numbers have at most 15 digits before and after the point, so that float64 has their value, and
# exponents at most two.
MOST_DIGITS = 15
LARGEST = 10**MOST_DIGITS - 1

_MOST_INDENT = 20

DIGIT = Byte(ord("0"), ord("9"))
_HEX = choice([DIGIT, Byte(ord("a"), ord("f")), Byte(ord("A"), ord("F"))])
_QUOTE, _BACKSLASH = of_points([ord('"')]), of_points([ord("\\")])
# Characters that are written without an escape.
PLAIN = complement(union([((0, 0x1F),), _QUOTE, _BACKSLASH]))
# Escapes of characters outside the surrogates, which would be half of a character.
_ESCAPE = concatenation(
    literal("\\"),
    choice(
        [
            *(literal(letter) for letter in '"\\/bfnrt'),
            concatenation(
                literal("u"),
                choice(
                    [
                        concatenation(choice([DIGIT, *(literal(letter) for letter in "abcefABCEF")]), _HEX),
                        concatenation(choice([literal("d"), literal("D")]), Byte(ord("0"), ord("7"))),
                    ]
                ),
                _HEX,
                _HEX,
            ),
        ]
    ),
)
CHARACTER = choice([characters(PLAIN), _ESCAPE])

SPACE, STRING, INTEGER, NUMBER, VALUE, OBJECT, ARRAY = (
    Call(name) for name in ("space", "string", "integer", "number", "value", "object", "array")
)
BOOLEAN = choice([literal("true"), literal("false")])
NULL = literal("null")


def quoted(text: Expression) -> Expression:
    """Return a string with this text between its quotes."""
    return concatenation(literal('"'), text, literal('"'))


def json_literal(value: Any) -> Expression:
    """Return the text of a JSON value.

    Raises `UnicodeEncodeError` for half of a surrogate pair.
    """
    return literal(json.dumps(value, ensure_ascii=False, separators=(", ", ": ")))


def escaped(members: CharacterSet) -> Expression:
    """Return one character of a set, with an escape if it needs one."""
    special = [chr(point) for point in (*range(0x20), ord('"'), ord("\\")) if _contains(members, point)]
    plain = complement(union([complement(members), complement(PLAIN)]))
    return choice([characters(plain), *(literal(json.dumps(character)[1:-1]) for character in special)])


def _contains(members: CharacterSet, point: int) -> bool:
    return any(first <= point <= last for first, last in members)


def member(key: Expression, value: Expression) -> Expression:
    """Return a key and its value."""
    return concatenation(key, literal(":"), SPACE, value)


def _enclosed(opening: str, items: Expression, closing: str) -> Expression:
    return concatenation(literal(opening), SPACE, items, SPACE, literal(closing))


def in_braces(members: Expression) -> Expression:
    """Return an object with these members."""
    return _enclosed("{", members, "}")


def in_brackets(items: Expression) -> Expression:
    """Return an array with these items."""
    return _enclosed("[", items, "]")


COMMA = concatenation(literal(","), SPACE)


def repeated(item: Expression, least: int, most: int | None) -> Expression:
    """Return items with commas between them."""
    if most == 0:
        return EMPTY
    rest = Repetition(concatenation(COMMA, item), max(least - 1, 0), None if most is None else most - 1)
    items = concatenation(item, rest)
    return items if least > 0 else optional(items)


def common_rules() -> dict[str, Expression]:
    """Return the rules that schemas call: white space, and values without a schema."""
    digits = Repetition(DIGIT, 1, MOST_DIGITS)
    integer = number_between(-LARGEST, LARGEST, is_integer=True)
    sign = optional(choice([literal("+"), literal("-")]))
    exponent = concatenation(choice([literal("e"), literal("E")]), sign, Repetition(DIGIT, 1, 2))
    indent = Repetition(choice([literal(" "), literal("\t")]), 0, _MOST_INDENT)
    return {
        SPACE.rule: optional(choice([literal(" "), concatenation(literal("\n"), indent)])),
        STRING.rule: quoted(Repetition(CHARACTER, 0, None)),
        INTEGER.rule: integer,
        NUMBER.rule: concatenation(integer, optional(concatenation(literal("."), digits)), optional(exponent)),
        OBJECT.rule: in_braces(repeated(member(STRING, VALUE), 0, None)),
        ARRAY.rule: in_brackets(repeated(VALUE, 0, None)),
        VALUE.rule: choice([OBJECT, ARRAY, STRING, NUMBER, BOOLEAN, NULL]),
    }


def number_between(
    low: int, high: int, *, is_integer: bool, excludes_low: bool = False, excludes_high: bool = False
) -> Expression:
    """Return the numbers from `low` to `high`, without exponents."""
    options = []
    if low < 0:
        # Values below zero are the mirror image of those above.
        below = _magnitudes(max(-high, 0), -low, is_integer, excludes_high and high <= 0, excludes_low)
        options.append(concatenation(literal("-"), below))
    if high >= 0:
        options.append(_magnitudes(max(low, 0), high, is_integer, excludes_low and low >= 0, excludes_high))
    return choice(options)


def _magnitudes(low: int, high: int, is_integer: bool, excludes_low: bool, excludes_high: bool) -> Expression:
    """Return the numbers without a sign from `low` to `high`."""
    options = [_integers(low + excludes_low, high - excludes_high)]
    if not is_integer:
        fraction = concatenation(literal("."), Repetition(DIGIT, 1, MOST_DIGITS))
        options.append(concatenation(_integers(low + excludes_low, high - 1), fraction))
        if excludes_low and low < high:
            nonzero = concatenation(literal("."), Repetition(DIGIT, 0, MOST_DIGITS - 1), Byte(ord("1"), ord("9")))
            options.append(concatenation(_integers(low, low), nonzero))
    return choice(options)


def _integers(low: int, high: int) -> Expression:
    """Return the integers from `low` to `high`, which are not negative."""
    options = []
    while low <= high:
        last = min(high, 10 ** len(str(low)) - 1)
        options.append(_digits(str(low), str(last)))
        low = last + 1
    return choice(options)


def _digits(low: str, high: str) -> Expression:
    """Return the numbers of equally many digits from `low` to `high`."""
    if not low:
        return EMPTY
    count = len(low) - 1
    if low[1:] == "0" * count and high[1:] == "9" * count:
        return concatenation(Byte(ord(low[0]), ord(high[0])), Repetition(DIGIT, count, count))
    if low[0] == high[0]:
        return concatenation(literal(low[0]), _digits(low[1:], high[1:]))
    first = concatenation(literal(low[0]), _digits(low[1:], "9" * count))
    last = concatenation(literal(high[0]), _digits("0" * count, high[1:]))
    between = []
    if ord(high[0]) - ord(low[0]) > 1:
        middle = Byte(ord(low[0]) + 1, ord(high[0]) - 1)
        between.append(concatenation(middle, Repetition(DIGIT, count, count)))
    return choice([first, *between, last])
