"""Arrays of C."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_LINE = 120


def numbers(values: Iterable[int]) -> str:
    """The inside of an array, in lines."""
    text, line = [], ""
    for value in values:
        if len(line) > _LINE - 12:
            text.append(line)
            line = ""
        line += f"{value},"
    return "\n".join([*text, line]) + "\n"


def offsets(tokens: Sequence[bytes]) -> list[int]:
    """Where each begins when they lie one behind the other, and the end of the last."""
    found = [0]
    for token in tokens:
        found.append(found[-1] + len(token))
    return found


def literal(text: str) -> str:
    """A string literal of its bytes in UTF-8."""
    return '"' + "".join(_escaped(byte) for byte in text.encode()) + '"'


def _escaped(byte: int) -> str:
    """Three octal digits end by themselves, whatever follows."""
    letter = chr(byte)
    return letter if 32 <= byte < 127 and letter not in '"\\?' else f"\\{byte:03o}"
