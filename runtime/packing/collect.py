"""Collect message texts from C sources.

These are formats of error messages, arguments of ET_SAYS, and rows of X-macro lists.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

# Functions and macros, with the index of the argument that is the format.
_FORMAT_OF = {
    "et_fail": 2,
    "et_fail_program": 1,
    "et_fail_because": 3,
    "et_fail_within": 2,
    "et_tell_more": 1,
    "ET_SAYS": 0,
    "ET_PACKED_NUMBER": 0,
}
_ROW = "X"  # row of a list: X(code, "text") has a text, X(name) is a name
_PARAMETER = "format"  # parameter of macros that pass their format on
_TOKEN = re.compile(
    r"""(?P<skipped>//[^\n]*|/\*.*?\*/|\\\n|\s+)
    |(?P<text>"(?:[^"\\\n]|\\.)*")
    |(?P<other>'(?:[^'\\\n]|\\.)*'|\w+|\#|.)""",
    re.DOTALL | re.VERBOSE,
)
_ESCAPES = {'"': '"', "\\": "\\"}


@dataclass(frozen=True)
class Said:
    """The texts, and the names in lists, in source order with duplicates."""

    texts: tuple[str, ...]
    names: tuple[str, ...]


@dataclass(frozen=True)
class _Call:
    """The format's argument index, and the prefix that a macro adds to it."""

    index: int
    prefix: str = ""


def said(source: str) -> Said:
    """Collect the texts of one file.

    Raises ValueError for an escape sequence that messages do not support.
    """
    tokens = _tokens(source)
    calls = {name: _Call(index) for name, index in _FORMAT_OF.items()} | _macros(source)
    texts: list[str] = []
    names: list[str] = []
    for name, arguments in _calls(tokens, {*calls, _ROW}):
        if name == _ROW:
            texts += [text for argument in arguments if (text := _text(argument)) is not None]
            names += [each[0] for each in arguments if len(arguments) == 1 and _is_name(each)]
        elif (text := _format(arguments, calls[name])) is not None:
            texts.append(text)
    return Said(tuple(texts), tuple(names))


def _tokens(source: str) -> list[str]:
    return [found.group() for found in _TOKEN.finditer(source) if found.lastgroup != "skipped"]


def _macros(source: str) -> dict[str, _Call]:
    """Find the macros of a file with a parameter `format`."""
    found = {}
    for line in re.findall(r"^#define (\w+\((?:.*\\\n)*.*)", source, re.MULTILINE):
        tokens = _tokens(line)
        ((name, parameters),) = _calls(tokens[: tokens.index(")") + 1], {tokens[0]})
        if [_PARAMETER] in parameters:
            found[name] = _Call(parameters.index([_PARAMETER]), _before_format(tokens))
    return found


def _before_format(tokens: Sequence[str]) -> str:
    """Return the literal directly before the place where a macro passes its format on."""
    last = len(tokens) - 1 - tokens[::-1].index(_PARAMETER)
    return _text(tokens[last - 1 : last]) or ""


def _calls(tokens: Sequence[str], names: Mapping[str, object] | set[str]) -> Iterator[tuple[str, list[list[str]]]]:
    """Yield the name and the arguments of each call of a name in `names`.

    An argument is a list of tokens.
    """
    for at, token in enumerate(tokens[:-1]):
        if token in names and tokens[at + 1] == "(":
            yield token, _arguments(tokens, at + 2)


def _arguments(tokens: Sequence[str], at: int) -> list[list[str]]:
    """Return the arguments from `at` up to the closing parenthesis or the end.

    `at` is the token after the opening parenthesis.
    """
    arguments: list[list[str]] = [[]]
    depth = 0
    for token in tokens[at:]:
        depth += (token in "([{") - (token in ")]}")
        if depth < 0:
            break
        if token == "," and depth == 0:
            arguments.append([])
        else:
            arguments[-1].append(token)
    return arguments


def _format(arguments: Sequence[Sequence[str]], call: _Call) -> str | None:
    text = _text(arguments[call.index]) if call.index < len(arguments) else None
    return None if text is None else call.prefix + text


def _text(tokens: Sequence[str]) -> str | None:
    """Return the text of adjacent string literals, or None for other tokens."""
    if not tokens or any(token[0] != '"' for token in tokens):
        return None
    return "".join(re.sub(r"\\(.)", _unescaped, token[1:-1]) for token in tokens)


def _unescaped(found: re.Match[str]) -> str:
    if found[1] not in _ESCAPES:
        raise ValueError(f'a message has {found[0]}: of escapes, messages have \\" and \\\\ alone')
    return _ESCAPES[found[1]]


def _is_name(argument: Sequence[str]) -> bool:
    return len(argument) == 1 and argument[0].isidentifier()
