"""Write text/character_ranges.c: the kinds of Unicode characters as a C table.

    python3.11 -m text.generate.character_kinds > text/character_ranges.c

Run by hand. The table is checked in, so that no build depends on the Unicode version of an interpreter. If
Python has the table's Unicode version, text/character_kinds_test.py compares the two.
"""

from __future__ import annotations

import unicodedata

VERSION = "14.0.0"
_KINDS = {"L": "ET_CHARACTER_LETTER", "N": "ET_CHARACTER_NUMBER", "Z": "ET_CHARACTER_SPACE"}
_SPACES = {*range(0x09, 0x0E), 0x85}
_LINE = 120


def ranges() -> list[tuple[int, int, str]]:
    """Return first code point, last code point and kind of each range, in order."""
    found: list[tuple[int, int, str]] = []
    for point in range(0x110000):
        kind = _kind(point)
        if found and found[-1][1:] == (point - 1, kind):
            found[-1] = (found[-1][0], point, kind)
        elif kind:
            found.append((point, point, kind))
    return found


def _kind(point: int) -> str:
    return _KINDS["Z"] if point in _SPACES else _KINDS.get(unicodedata.category(chr(point))[0], "")


def source() -> str:
    """Return the C source."""
    text, line = "", ""
    found = ranges()
    for first, last, kind in found:
        entry = f"{{0x{first:x}, 0x{last:x}, {kind}}},"
        if line and len(line) + 1 + len(entry) > _LINE:
            text, line = f"{text}{line}\n", ""
        line = f"{line} {entry}" if line else entry
    return (
        f"/* Made by text/generate/character_kinds.py of Unicode {VERSION}; do not edit. */\n"
        '#include "text/character_kinds.h"\n\n'
        "/* clang-format off */\n"
        f"const et_character_range et_character_ranges[] = {{\n{text}{line}\n}};\n"
        "/* clang-format on */\n"
        f"const uint32_t et_character_ranges_count = {len(found)};\n"
    )


if __name__ == "__main__":
    if unicodedata.unidata_version != VERSION:
        raise SystemExit(f"this interpreter has Unicode {unicodedata.unidata_version}, not {VERSION}")
    print(source(), end="")
