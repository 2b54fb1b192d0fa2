"""Format C array initializers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_LINE = 120


def numbers(values: Iterable[int]) -> str:
    """Return the initializer of an array, broken into lines."""
    text, line = [], ""
    for value in values:
        if len(line) > _LINE - 12:
            text.append(line)
            line = ""
        line += f"{value},"
    return "\n".join([*text, line]) + "\n"


def offsets(tokens: Sequence[bytes]) -> list[int]:
    """Return the start of each token in their concatenation, and the total size."""
    found = [0]
    for token in tokens:
        found.append(found[-1] + len(token))
    return found


def literal(text: str) -> str:
    """Return a C string literal with the UTF-8 bytes of `text`."""
    return '"' + "".join(_escape_byte(byte) for byte in text.encode()) + '"'


def _escape_byte(byte: int) -> str:
    """Escape a byte.

    Octal escapes have three digits, so a following digit cannot extend them.
    """
    letter = chr(byte)
    return letter if 32 <= byte < 127 and letter not in '"\\?' else f"\\{byte:03o}"
