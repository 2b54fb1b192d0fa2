r"""Parse the regular expressions of pre-tokenizers.

Supported are alternatives, groups, `(?i:...)`, the quantifiers `*`, `+`, `?` and `{m,n}`, the lazy
quantifiers `*?`, `+?` and `??`, the possessive quantifiers `*+`, `++` and `?+` of one character,
classes in brackets, escapes such as `\s` and `\p{L}`, `$` (the end of a line), and lookahead at one
character. The semantics are those of Oniguruma, which Hugging Face tokenizers use: the first
alternative that matches wins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from text.generate.character_sets import (
    CharacterSet,
    category,
    complement,
    ignoring_case,
    of_points,
    union,
    white_space,
)

_MOST_REPETITIONS = 100
_MOST_NESTED = 50
_CONTROLS = {"n": 0x0A, "r": 0x0D, "t": 0x09, "f": 0x0C, "v": 0x0B}


@dataclass(frozen=True)
class Characters:
    """A character of a set."""

    members: CharacterSet


@dataclass(frozen=True)
class Lookahead:
    """The next character is in the set, or the text ends if `at_end` is true."""

    members: CharacterSet
    at_end: bool


@dataclass(frozen=True)
class Concatenation:
    """Expressions one after another."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True)
class Alternatives:
    """The first of these expressions that matches."""

    options: tuple[Expression, ...]


@dataclass(frozen=True)
class Repeated:
    """Repetitions, from `least` to `most` (None: no limit).

    As many as possible are preferred or, if `is_lazy` is true, as few as possible.
    """

    part: Expression
    least: int
    most: int | None
    is_lazy: bool = False


Expression: TypeAlias = Characters | Lookahead | Concatenation | Alternatives | Repeated


def parse(pattern: str) -> Expression:
    """Parse a regular expression. Raises `ValueError` for unsupported syntax."""
    parser = _Parser(pattern)
    try:
        found = parser.alternatives(ignore_case=False)
        if parser.rest():
            raise ValueError("unmatched ')'")
    except ValueError as error:
        raise ValueError(
            f"the regular expression {pattern!r} is not supported: {error}; use another tokenizer"
        ) from error
    return found


class _Parser:
    """A recursive-descent parser. Methods consume the text that they parse."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._depth = 0  # of groups

    def rest(self) -> str:
        return self._pattern[self._at :]

    def _take(self, text: str) -> bool:
        """Consume `text` if it is next."""
        if not self._pattern.startswith(text, self._at):
            return False
        self._at += len(text)
        return True

    def _take_character(self) -> str:
        if self._at == len(self._pattern):
            raise ValueError("it ends too early")
        self._at += 1
        return self._pattern[self._at - 1]

    def alternatives(self, ignore_case: bool) -> Expression:
        options = [self._sequence(ignore_case)]
        while self._take("|"):
            options.append(self._sequence(ignore_case))
        return options[0] if len(options) == 1 else Alternatives(tuple(options))

    def _sequence(self, ignore_case: bool) -> Expression:
        parts: list[Expression] = []
        while self.rest() and self.rest()[0] not in "|)":
            parts.append(self._quantified(ignore_case))
        return parts[0] if len(parts) == 1 else Concatenation(tuple(parts))

    def _quantified(self, ignore_case: bool) -> Expression:
        part = self._atom(ignore_case)
        is_counted = self.rest().startswith("{")
        limits = self._limits()
        if limits is None:
            return part
        is_lazy = not is_counted and self._take("?")
        is_possessive = not is_counted and not is_lazy and self._take("+")
        if self.rest()[:1] in tuple("*+?{"):
            raise ValueError(f"{self.rest()[0]!r} after a quantifier")
        return _possessive(part, *limits) if is_possessive else Repeated(part, *limits, is_lazy=is_lazy)

    def _limits(self) -> tuple[int, int | None] | None:
        """Consume a quantifier. Return its limits, or None if there is none."""
        for sign, least, most in (("*", 0, None), ("+", 1, None), ("?", 0, 1)):
            if self._take(sign):
                return least, most
        return self._counted() if self._take("{") else None

    def _counted(self) -> tuple[int, int | None]:
        """Consume the rest of a quantifier such as {1,3}."""
        text, closed, _ = self.rest().partition("}")
        least, comma, most = text.partition(",")
        if not closed or not least.isdecimal() or not (most.isdecimal() or not most):
            raise ValueError(f"'{{{text}' is not a quantifier such as '{{1,3}}'")
        self._at += len(text) + 1
        low, high = int(least), int(most or least)
        if not 0 <= low <= high <= _MOST_REPETITIONS:
            raise ValueError(f"the limits '{{{text}}}' are not from 0 to {_MOST_REPETITIONS} in ascending order")
        return low, None if comma and not most else high

    def _atom(self, ignore_case: bool) -> Expression:
        if self._take("(?i:"):
            return self._group(ignore_case=True)
        if self._take("(?!"):
            return Lookahead(complement(self._single_set(ignore_case)), at_end=True)
        if self._take("(?="):
            return Lookahead(self._single_set(ignore_case), at_end=False)
        if self._take("(?:") or (not self.rest().startswith("(?") and self._take("(")):
            return self._group(ignore_case)
        if self._take("$"):
            return Lookahead(of_points([0x0A]), at_end=True)
        if self.rest()[0] in "(^*+?{":
            raise ValueError(f"{self.rest()[:3]!r} at this place")
        return Characters(self._set(ignore_case))

    def _group(self, ignore_case: bool) -> Expression:
        if self._depth == _MOST_NESTED:
            raise ValueError(f"more than {_MOST_NESTED} nested groups")
        self._depth += 1
        found = self.alternatives(ignore_case)
        self._depth -= 1
        if not self._take(")"):
            raise ValueError("a group without ')'")
        return found

    def _single_set(self, ignore_case: bool) -> CharacterSet:
        """Consume the rest of a lookahead, which must be one character or class."""
        found = self._group(ignore_case)
        if not isinstance(found, Characters):
            raise ValueError("lookahead at more than one character")
        return found.members

    def _set(self, ignore_case: bool) -> CharacterSet:
        """Consume a character, an escape, a dot or a class in brackets."""
        if self._take("["):
            members = self._class()
        elif self._take("."):
            return complement(of_points([0x0A]))
        elif self._take("\\"):
            members = self._escape()
        else:
            members = of_points([ord(self._take_character())])
        return ignoring_case(members) if ignore_case else members

    def _class(self) -> CharacterSet:
        negated = self._take("^")
        members = [self._class_item()]
        while not self._take("]"):
            members.append(self._class_item())
        found = union(members)
        return complement(found) if negated else found

    def _class_item(self) -> CharacterSet:
        if self.rest().startswith(("[", "&&")):
            raise ValueError(f"{self.rest()[:2]!r} in brackets; nested classes and intersections are not supported")
        first = self._escape() if self._take("\\") else of_points([ord(self._take_character())])
        if not self.rest().startswith("-") or self.rest().startswith("-]"):
            return first
        self._at += 1
        last = self._escape() if self._take("\\") else of_points([ord(self._take_character())])
        low, high = _single(first), _single(last)
        if low > high:
            raise ValueError(f"the range from {chr(low)!r} to {chr(high)!r} is empty")
        return ((low, high),)

    def _escape(self) -> CharacterSet:
        letter = self._take_character()
        if letter in "pP":
            members = self._property()
        elif letter in "sS":
            members = white_space()
        elif letter in "dD":
            members = category("Nd")
        elif letter == "u":
            self._at += 4
            return of_points([int(self._pattern[self._at - 4 : self._at], 16)])
        elif letter.isalnum():
            if letter not in _CONTROLS:
                raise ValueError(f"the escape '\\{letter}'")
            return of_points([_CONTROLS[letter]])
        else:
            return of_points([ord(letter)])
        return complement(members) if letter.isupper() else members

    def _property(self) -> CharacterSet:
        if not self._take("{"):
            return category(self._take_character())
        name, _, _ = self.rest().partition("}")
        self._at += len(name) + 1
        return complement(category(name[1:])) if name.startswith("^") else category(name)


def _possessive(part: Expression, least: int, most: int | None) -> Expression:
    """Return repetitions of a character that are never given back.

    Another such character cannot follow them, unless there are as many as allowed.
    """
    if not isinstance(part, Characters):
        raise ValueError("a possessive quantifier of more than one character")
    end = Lookahead(complement(part.members), at_end=True)
    if most is None:
        return Concatenation((Repeated(part, least, most), end))
    return Alternatives((part, end))  # from 0 to 1


def _single(characters: Sequence[tuple[int, int]]) -> int:
    """Return the only character of a set."""
    if len(characters) != 1 or characters[0][0] != characters[0][1]:
        raise ValueError("a range whose bounds are not characters")
    return characters[0][0]
