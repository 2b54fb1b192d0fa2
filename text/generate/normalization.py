"""Tables of Unicode normalization: forms, lower case, accents, clusters."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path

_TABLE = Path(__file__).parents[2] / "third_party" / "unicode" / "normalization.txt"

# Names of classes in the table, by the constants of executorch/text/normalizer.h.
CLUSTER_CLASSES = (
    "Other",
    "CR",
    "LF",
    "Control",
    "Extend",
    "NonJoiner",
    "Linker",
    "ZWJ",
    "Regional_Indicator",
    "Prepend",
    "SpacingMark",
    "L",
    "V",
    "T",
    "Pictographic",
    "Consonant",
)


@functools.cache
def _rows() -> Mapping[str, Sequence[Sequence[str]]]:
    found: dict[str, list[list[str]]] = {}
    for line in _TABLE.read_text(encoding="utf-8").splitlines()[1:]:
        name, *fields = line.split()
        found.setdefault(name, []).append(fields)
    return found


def _changes(name: str) -> dict[int, str]:
    return {int(point, 16): "".join(chr(int(each, 16)) for each in text) for point, *text in _rows()[name]}


def decompositions(compatible: bool) -> dict[int, str]:
    """Return the decompositions of NFD or NFKD, without those of Hangul syllables."""
    return _changes("canonical") | (_changes("compatible") if compatible else {})


def lower_case() -> dict[int, str]:
    """Return the characters that have a lower case, and this."""
    return _changes("lower")


def accents() -> dict[int, str]:
    """Return the accents, each with an empty string."""
    return {point: "" for first, last in _rows()["accent"] for point in range(int(first, 16), int(last, 16) + 1)}


def combining_classes() -> list[tuple[int, int, int]]:
    """Return ranges of characters, and their combining classes."""
    return [(int(first, 16), int(last, 16), int(value)) for first, last, value in _rows()["combining"]]


def compositions() -> list[tuple[int, int, int]]:
    """Return pairs of characters and the characters that they compose, sorted."""
    return sorted((int(first, 16), int(second, 16), int(result, 16)) for first, second, result in _rows()["compose"])


def cluster_classes() -> list[tuple[int, int, int]]:
    """Return ranges of characters, and the numbers of their cluster classes."""
    rows = _rows()["cluster"]
    return sorted((int(first, 16), int(last, 16), CLUSTER_CLASSES.index(name)) for first, last, name in rows)
