"""Write the table of the normalization of Unicode characters.

    python3 -m pip install --no-deps tokenizers==0.23.3 regex==2026.11.19 unicodedata2==18.0.0
    python3 -m text.generate.normalization_data > third_party/unicode/normalization.txt

Run it manually. The table contains the answers of the package `tokenizers`, whose parts use several
Unicode versions. `regex` and `unicodedata2` only propose values, which this program checks against
`tokenizers`. text/normalization_test.py compares the table with the package.
"""

from __future__ import annotations

import base64
import itertools
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping

import regex  # type: ignore[import-untyped]
import unicodedata2  # type: ignore[import-not-found]
from tokenizers import normalizers

_POINTS = [point for point in range(0x110000) if not 0xD800 <= point < 0xE000]
_HANGUL = range(0xAC00, 0xD7A4)  # decomposed and classified by formulas
_VIRAMA, _KA, _ACUTE, _JOINER, _CUP = "\u094d", "\u0915", "\u0301", "\u200d", "\u2615"


def _changes(normalize: Callable[[str], str]) -> dict[int, str]:
    """Return the characters that a normalizer changes, and their results."""
    pairs = ((point, normalize(chr(point))) for point in _POINTS if point not in _HANGUL)
    return {point: text for point, text in pairs if text != chr(point)}


def _combining_classes(decomposed: Mapping[int, str]) -> dict[int, int]:
    """Return the combining classes of the characters that the package reorders."""
    normalize = normalizers.NFD().normalize_str
    found = {}
    for point in _POINTS:
        number = unicodedata2.combining(chr(point))
        probes = (f"a{chr(point)}\u0334", f"a\u0301{chr(point)}", f"a\u0345{chr(point)}")
        if number and point not in decomposed and any(normalize(probe) != probe for probe in probes):
            found[point] = number
    return found


def _compositions(decomposed: Mapping[int, str]) -> Iterator[str]:
    """Yield the pairs of characters that NFC composes, and their results."""
    compose = normalizers.NFC().normalize_str
    for point, text in decomposed.items():
        first = compose(text[:-1])
        if compose(text) == chr(point) and len(first) == 1:
            yield f"compose {ord(first):x} {ord(text[-1]):x} {point:x}\n"


def _first_byte_charsmap() -> str:
    """Return a charsmap that maps the characters from U+0080 on to Y, and "a" to X.

    Its keys are the first bytes of characters, in the double array of SentencePiece.
    """
    values = {0x61: 0, **dict.fromkeys(range(0xC2, 0xF5), 2)}
    units = [0xFF] * 1024
    units[0] = 256 << 10
    for number, (byte, value) in enumerate(values.items()):
        at, leaf = 256 ^ byte, 512 + number
        units[at] = (at ^ leaf) << 10 | 1 << 8 | byte
        units[leaf] = 1 << 31 | value
    trie = struct.pack(f"<{len(units)}I", *units)
    return base64.b64encode(struct.pack("<I", len(trie)) + trie + b"X\0Y\0").decode()


def _cluster_classes() -> dict[int, str]:
    """Return the classes of characters that break or extend grapheme clusters.

    A charsmap replaces a cluster of less than 6 bytes as a whole, which shows its boundaries.
    """
    normalize = normalizers.Precompiled(base64.b64decode(_first_byte_charsmap())).normalize_str
    names = ("CR", "LF", "Control", "Extend", "ZWJ", "Regional_Indicator", "Prepend", "SpacingMark", "L", "V", "T")
    found: dict[int, str] = {}
    for name in names:
        member = regex.compile(rf"\p{{GCB={name}}}")
        found |= {point: name for point in _POINTS if member.match(chr(point))}
    joins = regex.compile(r"\p{InCB=Extend}|\p{InCB=Linker}")
    pictographic = regex.compile(r"\p{ExtPict}")
    for point in _POINTS:
        text, name = chr(point), found.get(point, "")
        if name in ("Extend", "SpacingMark") and normalize(f"a{text}") != "X":
            del found[point]
        elif name == "Extend" and not joins.match(text):
            found[point] = "NonJoiner"
        elif name == "Extend" and 0x7FF < point < 0x10000 and normalize(f"{_KA}{text}{_KA}{_ACUTE}") == "YYYY":
            found[point] = "Linker"
        elif not name and 0x7FF < point < 0x10000 and normalize(f"{_KA}{_VIRAMA}{text}{_ACUTE}") == "YYYY":
            found[point] = "Consonant"
        elif not name and pictographic.match(text) and normalize(f"{text}{_JOINER}{_CUP}{_ACUTE}")[-2:] == "YY":
            found[point] = "Pictographic"
    return found


def _ranges(values: Mapping[int, object]) -> Iterator[tuple[int, int, object]]:
    """Yield the first and last point of each range with the same value."""
    points = sorted(values)
    groups = itertools.groupby(enumerate(points), lambda pair: (pair[1] - pair[0], values[pair[1]]))
    for (_, value), group in groups:
        members = [point for _, point in group]
        yield members[0], members[-1], value


def _lines(name: str, changes: Mapping[int, str]) -> Iterable[str]:
    return (f"{name} {point:x} {' '.join(f'{ord(letter):x}' for letter in text)}\n" for point, text in changes.items())


def source() -> str:
    """Return the table."""
    canonical = _changes(normalizers.NFD().normalize_str)
    compatible = _changes(normalizers.NFKD().normalize_str)
    accents = dict.fromkeys(_changes(normalizers.StripAccents().normalize_str), 0)
    lines = [
        *_lines("canonical", canonical),
        *_lines("compatible", {point: text for point, text in compatible.items() if canonical.get(point) != text}),
        *_compositions(canonical),
        *(f"combining {first:x} {last:x} {value}\n" for first, last, value in _ranges(_combining_classes(canonical))),
        *_lines("lower", _changes(normalizers.Lowercase().normalize_str)),
        *(f"accent {first:x} {last:x}\n" for first, last, _ in _ranges(accents)),
        *(f"cluster {first:x} {last:x} {value}\n" for first, last, value in _ranges(_cluster_classes())),
    ]
    return "# Normalization of characters by the package tokenizers; see normalization_data.py.\n" + "".join(lines)


if __name__ == "__main__":
    print(source(), end="")
