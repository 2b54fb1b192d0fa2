"""Split C, C++ and Rust code into declarations, and remove function bodies.

The sources are formatted and use only a few forms, so no parser is needed: a declaration starts at
the beginning of a line, and a blank line ends it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_GUARD = re.compile(r"^#(?:ifndef|define|endif).*_H_.*$|^#include .*$|^#ifdef __cplusplus$|^extern \"C\" \{$|^#endif$")
# Comments, preprocessor lines, attributes, strings and characters are skipped.
_TOKEN = re.compile(r"""(?P<skipped>//.*|^ *#.*)|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])'|[(){};\[\]]""", re.MULTILINE)
_INITIALIZERS = re.compile(r"(\)|\bnoexcept)\s+:\s.*\Z", re.DOTALL)


@dataclass(frozen=True)
class Declaration:
    """A declaration: its names, comment, and code without function bodies."""

    names: tuple[str, ...]
    comment: str
    code: str


def blocks(body: str) -> Iterator[str]:
    """Split at blank lines, except in braces, comments or `#if` groups."""
    lines: list[str] = []
    depth = conditions = 0
    in_comment = False
    for line in body.splitlines():
        bare = re.sub(r"/\*.*?\*/", "", line)
        if _GUARD.match(line) and not (lines and conditions):
            continue
        if not line and depth == 0 and conditions == 0 and not in_comment:
            if lines:
                yield "\n".join(lines)
            lines = []
            continue
        lines.append(line)
        in_comment = "/*" in bare or (in_comment and "*/" not in line)
        if not in_comment:
            depth += bare.count("{") - bare.count("}")
            conditions += bool(re.match(r"#if", line)) - bool(re.match(r"#endif", line))
    if lines:
        yield "\n".join(lines)


def without_bodies(code: str) -> str:
    """Replace the bodies of functions with semicolons.

    The initializers of constructors are omitted. Braces in parentheses, such as those of a default
    argument, are not bodies.
    """
    kept = ""
    copied = statement = position = parentheses = 0
    while token := _TOKEN.search(code, position):
        position = token.end()
        if token["skipped"]:
            statement = position
        elif token[0] in "([":
            parentheses += 1
        elif token[0] in ")]":
            parentheses -= 1
        elif token[0] in "{};" and parentheses == 0:
            if token[0] == "{" and "(" in code[statement : token.start()]:
                head = code[statement : token.start()].rstrip()
                kept += code[copied:statement] + _INITIALIZERS.sub(r"\1", head) + ";"
                position = copied = _end_of_braces(code, position)
            statement = position
    return kept + code[copied:]


def _end_of_braces(code: str, position: int) -> int:
    """Return the offset after the brace that closes the one before `position`."""
    depth = 1
    while depth:
        token = _TOKEN.search(code, position)
        if token is None:
            raise ValueError(f"unbalanced braces in:\n{code}")
        position = token.end()
        depth += {"{": 1, "}": -1}.get(token[0], 0)
    return position
