"""Regular expressions and formats of strings in JSON schemas."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from llm.grammar import json_text
from llm.grammar.document import fail
from llm.grammar.expressions import Expression, Repetition, choice, concatenation
from text.generate import regex

_DAY = r"((0[13578]|1[02])-(0[1-9]|[12]\d|3[01])|(0[469]|11)-(0[1-9]|[12]\d|30)|02-(0[1-9]|1\d|2[0-8]))"
_DATE = rf"[1-9]\d{{3}}-{_DAY}"
_TIME = r"([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?(Z|[+\-]([01]\d|2[0-3]):[0-5]\d)"
_OCTET = r"(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
# Patterns of values that are certainly of a format (RFC 3339, RFC 4122, RFC 2673).
FORMATS = {
    "date": f"^{_DATE}$",
    "time": f"^{_TIME}$",
    "date-time": f"^{_DATE}T{_TIME}$",
    "uuid": r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
    "ipv4": rf"^{_OCTET}\.{_OCTET}\.{_OCTET}\.{_OCTET}$",
}

# Validators interpret classes as ASCII (ECMA-262) or as Unicode (Python). Classes that add characters
# are therefore ASCII, and those that exclude characters are Unicode.
_ADDED = {"d": "0-9", "w": "0-9A-Za-z_", "s": r"\t\n\v\f\r "}
_EXCLUDED = {"d": r"\d", "w": r"\p{L}\p{M}\p{N}\p{Pc}", "s": r"\s\uFEFF"}
_PARTS = re.compile(r"\\.|.", re.DOTALL)


def pattern_text(pattern: Any, path: str) -> Expression:
    """Return the texts inside a JSON string that match a pattern.

    Raises `GrammarError`.
    """
    if not isinstance(pattern, str):
        raise fail(path, "must be a string")
    try:
        return choice(_branch(branch) for branch in _branches(pattern))
    except ValueError as error:
        raise fail(path, f"{pattern!r} is not supported: {error.__cause__ or error}") from error


def _branches(pattern: str) -> Iterator[list[str]]:
    """Yield the alternatives of a pattern, as characters and escapes."""
    branch: list[str] = []
    depth, in_class = 0, False
    for part in _PARTS.findall(pattern):
        if in_class:
            in_class = part != "]"
        elif part == "[":
            in_class = True
        elif part in ("(", ")"):
            depth += 1 if part == "(" else -1
        elif part == "|" and depth == 0:
            yield branch
            branch = []
            continue
        branch.append(part)
    yield branch


def _branch(parts: list[str]) -> Expression:
    anything = Repetition(json_text.CHARACTER, 0, None)
    begins, ends = parts[:1] == ["^"], parts[-1:] == ["$"]
    parts = parts[begins : len(parts) - ends]
    found = _converted(regex.parse("".join(_portable(parts))))
    return concatenation(*([] if begins else [anything]), found, *([] if ends else [anything]))


def _portable(parts: list[str]) -> Iterator[str]:
    """Replace classes that validators interpret differently."""
    in_class, negated = False, False
    for i, part in enumerate(parts):
        name = part[1:].lower()
        if part[0] == "\\" and name in _ADDED:
            excludes = part[1].isupper()
            if in_class and excludes:
                raise ValueError(f"{part!r} in brackets")
            if in_class:
                yield (_EXCLUDED if negated else _ADDED)[name]
            else:
                yield f"[^{_EXCLUDED[name]}]" if excludes else f"[{_ADDED[name]}]"
        elif part == "." and not in_class:
            yield r"[^\n\r\u2028\u2029]"
        else:
            if in_class:
                in_class = part != "]"
            elif part == "[":
                in_class, negated = True, parts[i + 1 : i + 2] == ["^"]
            yield part


def _converted(expression: regex.Expression) -> Expression:
    """Convert to bytes of JSON, with escapes."""
    if isinstance(expression, regex.Characters):
        return json_text.escaped(expression.members)
    if isinstance(expression, regex.Concatenation):
        return concatenation(*map(_converted, expression.parts))
    if isinstance(expression, regex.Alternatives):
        return choice(map(_converted, expression.options))
    if isinstance(expression, regex.Repeated):
        return Repetition(_converted(expression.part), expression.least, expression.most)
    raise ValueError("an anchor, a lookahead or a possessive quantifier inside the pattern")
