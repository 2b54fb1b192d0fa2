r"""Parse grammars in the notation of GBNF.

    root  ::= "yes" | "no" | list        # alternatives, and a comment
    list  ::= "[" item ("," item)* "]"   # groups, and * + ? {m} {m,} {m,n}
    item  ::= [0-9a-f]{1,4} | .          # characters: [a-z], [^a-z], and any character

Literals and classes can have the escapes \n \r \t \\ \" \] \[ \^ \-, \xNN, \uNNNN and \UNNNNNNNN,
which are code points. The rule `root` is the whole text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from llm.grammar.expressions import (
    Call,
    Expression,
    GrammarError,
    Repetition,
    characters,
    choice,
    concatenation,
    literal,
)
from text.generate.character_sets import LAST, CharacterSet, complement, union

ROOT = "root"

_MOST_REPETITIONS = 60000
_MOST_NESTED = 100
_ESCAPE = r"\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|[nrt\\\"\]\[^\-])"
_TOKENS = re.compile(
    rf"""(?P<skip>[ \t\r\n]+|\#[^\n]*)
    |(?P<define>[A-Za-z][A-Za-z0-9_-]*[ \t\r\n]*::=)
    |(?P<name>[A-Za-z][A-Za-z0-9_-]*)
    |(?P<literal>"(?:[^"\\\n]|{_ESCAPE})*")
    |(?P<class>\[(?:[^\]\\\n]|{_ESCAPE})*\])
    |(?P<repeat>\{{[ ]*\d{{1,9}}[ ]*(?:,[ ]*(?:\d{{1,9}})?[ ]*)?\}})
    |(?P<sign>[|().*+?])""",
    re.VERBOSE,
)
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t"}
_QUANTIFIERS: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    at: int


def parse_grammar(text: str) -> dict[str, Expression]:
    """Return the rules of a grammar. Raises `GrammarError` with line and column."""
    return _Parser(text).rules()


class _Parser:
    """A recursive-descent parser. Methods consume the tokens that they parse."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = list(self._scan())
        self._at = 0
        self._depth = 0  # of groups

    def _scan(self) -> Iterator[_Token]:
        at = 0
        while at < len(self._text):
            found = _TOKENS.match(self._text, at)
            if not found or found.lastgroup is None:
                raise self._error(at, f"unexpected {self._text[at : at + 20].splitlines()[0]!r}")
            if found.lastgroup != "skip":
                yield _Token(found.lastgroup, found[0], at)
            at = found.end()
        yield _Token("end", "the end of the grammar", at)

    def _error(self, at: int, problem: str) -> GrammarError:
        line = self._text.count("\n", 0, at) + 1
        return GrammarError(f"{line}:{at - self._text.rfind(chr(10), 0, at)}: {problem}")

    def _next(self) -> _Token:
        return self._tokens[self._at]

    def _take(self, kind: str, text: str = "") -> _Token | None:
        """Consume the next token if it is of this kind."""
        token = self._next()
        if token.kind != kind or (text and token.text != text):
            return None
        self._at += 1
        return token

    def rules(self) -> dict[str, Expression]:
        found: dict[str, Expression] = {}
        while token := self._take("define"):
            name = token.text.removesuffix("::=").strip()
            if name in found:
                raise self._error(token.at, f"the rule {name!r} is defined twice; remove one definition")
            found[name] = self._alternatives()
        if not self._take("end"):
            token = self._next()
            raise self._error(token.at, f"unexpected {token.text!r}; write rules as 'name ::= ...'")
        if ROOT not in found:
            raise self._error(len(self._text), f"the rule {ROOT!r} is missing; define it as the whole text")
        for token in self._tokens:
            if token.kind == "name" and token.text not in found:
                raise self._error(token.at, f"the rule {token.text!r} is not defined; define it, or quote literal text")
        return found

    def _alternatives(self) -> Expression:
        options = [self._sequence()]
        while self._take("sign", "|"):
            options.append(self._sequence())
        return choice(options)

    def _sequence(self) -> Expression:
        parts = []
        while part := self._item():
            parts.append(self._quantified(part))
        return concatenation(*parts)

    def _item(self) -> Expression | None:
        if token := self._take("literal"):
            return literal("".join(self._points(token)))
        if token := self._take("class"):
            return self._class(token)
        if token := self._take("name"):
            return Call(token.text)
        if self._take("sign", "."):
            return characters(((0, LAST),))
        opening = self._take("sign", "(")
        if not opening:
            return None
        self._depth += 1
        if self._depth > _MOST_NESTED:
            raise self._error(opening.at, f"groups are nested more than {_MOST_NESTED} deep; use rules")
        inner = self._alternatives()
        if not self._take("sign", ")"):
            raise self._error(self._next().at, f"expected ')', got {self._next().text!r}")
        self._depth -= 1
        return inner

    def _quantified(self, part: Expression) -> Expression:
        token = self._next()
        if token.kind == "sign" and token.text in _QUANTIFIERS:
            least, most = _QUANTIFIERS[token.text]
        elif token.kind == "repeat":
            least, most = self._bounds(token)
        else:
            return part
        self._at += 1
        return Repetition(part, least, most)

    def _bounds(self, token: _Token) -> tuple[int, int | None]:
        first, comma, last = token.text.strip("{}").replace(" ", "").partition(",")
        least = int(first)
        most = int(last) if last else None if comma else least
        if max(least, most or 0) > _MOST_REPETITIONS:
            raise self._error(token.at, f"{token.text} is more than {_MOST_REPETITIONS} repetitions; use * or +")
        if most is not None and least > most:
            raise self._error(token.at, f"{token.text} has a minimum above its maximum")
        return least, most

    def _class(self, token: _Token) -> Expression:
        body = token.text[1:-1]
        negated = body.startswith("^")
        points = self._points(_Token("class", "[" + body[negated:] + "]", token.at + negated))
        # An escaped '-' is a character; _points marks the others as ranges.
        spans: list[CharacterSet] = []
        at = 0
        while at < len(points):
            is_range = at + 2 < len(points) and points[at + 1] == ""
            first, last = points[at] or "-", (points[at + 2] or "-") if is_range else (points[at] or "-")
            if first > last:
                raise self._error(token.at, f"the range {first}-{last} has its ends in the wrong order")
            spans.append(((ord(first), ord(last)),))
            at += 3 if is_range else 1
        members = union(spans)
        return characters(complement(members) if negated else members)

    def _points(self, token: _Token) -> list[str]:
        """Return the characters of a literal or class. A plain '-' of a class is ''."""
        found = []
        body = token.text[1:-1]
        for match in re.finditer(rf"{_ESCAPE}|.", body, re.DOTALL):
            part = match[0]
            if part == "-" and token.kind == "class":
                found.append("")
            elif not part.startswith("\\"):
                found.append(part)
            elif part[1] in "xuU":
                point = int(part[2:], 16)
                if point > LAST or 0xD800 <= point <= 0xDFFF:
                    raise self._error(token.at, f"{part} is not a Unicode character")
                found.append(chr(point))
            else:
                found.append(_CONTROLS.get(part[1], part[1]))
        return found
