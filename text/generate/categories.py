"""Write the table of the general categories of Unicode characters.

    python3 -m pip install --no-deps unicodedata2==16.0.0
    python3 -m text.generate.categories > third_party/unicode/categories.txt

Run it manually. The table is checked in, so that vocabularies do not depend on the Unicode version
of an interpreter. The version is that of the package `tokenizers` in
third_party/python/models.lock; text/splitter_test.py compares all characters.
"""

from __future__ import annotations

from collections.abc import Iterator

import unicodedata2 as unicodedata  # type: ignore[import-not-found]

VERSION = "16.0.0"


def _category_ranges() -> Iterator[tuple[int, int, str]]:
    """Yield the first and last code point and the category of each range, in order."""
    first, category = 0, unicodedata.category("\0")
    for point in range(1, 0x110000):
        here = unicodedata.category(chr(point))
        if here != category:
            yield first, point - 1, category
            first, category = point, here
    yield first, 0x10FFFF, category


def source() -> str:
    """Return the table: a line per range. Unassigned characters (Cn) are omitted."""
    lines = [f"{first:x} {last:x} {category}\n" for first, last, category in _category_ranges() if category != "Cn"]
    return f"# Unicode {VERSION}: first and last code point, general category.\n{''.join(lines)}"


if __name__ == "__main__":
    if unicodedata.unidata_version != VERSION:
        raise SystemExit(f"the package has Unicode {unicodedata.unidata_version}, not {VERSION}")
    print(source(), end="")
