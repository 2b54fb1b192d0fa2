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


def c_array(name: str, values: Iterable[int], kind: str = "uint32_t") -> str:
    """Return the definition of a constant array."""
    return f"static const {kind} {name}[] = {{\n{numbers(values)}}};\n\n"


def byte_initializer(data: bytes) -> str:
    """Return the initializer of an array of `char`."""
    return numbers(byte - 256 if byte > 127 else byte for byte in data)


def offsets(tokens: Sequence[bytes]) -> list[int]:
    """Return the start of each token in their concatenation, and the total size."""
    found = [0]
    for token in tokens:
        found.append(found[-1] + len(token))
    return found


def added_arrays(tokens: Sequence[bytes], added: Iterable[int]) -> dict[str, list[int]]:
    """Return user-defined tokens by first byte, and the start of each byte's group.

    Within a group, longer tokens come first. The result is empty if there are none.
    """
    ordered = sorted(added, key=lambda token: (tokens[token][0], -len(tokens[token]), tokens[token]))
    if not ordered:
        return {}
    firsts = [tokens[token][0] for token in ordered]
    return {"added": ordered, "added_starts": [sum(first < byte for first in firsts) for byte in range(257)]}


def literal(text: str) -> str:
    """Return a C string literal with the UTF-8 bytes of `text`."""
    return '"' + "".join(_escape_byte(byte) for byte in text.encode()) + '"'


def _escape_byte(byte: int) -> str:
    """Escape a byte.

    Octal escapes have three digits, so a following digit cannot extend them.
    """
    letter = chr(byte)
    return letter if 32 <= byte < 127 and letter not in '"\\?' else f"\\{byte:03o}"
