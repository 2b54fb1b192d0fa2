"""Sets of Unicode characters: categories, unions, complements, classes."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from pathlib import Path

# Sorted, disjoint ranges of code points: (first, last).
CharacterSet = tuple[tuple[int, int], ...]

LAST = 0x10FFFF
_TABLE = Path(__file__).parents[2] / "third_party" / "unicode" / "categories.txt"


def union(sets: Iterable[CharacterSet]) -> CharacterSet:
    """Return the characters that are in at least one of the sets."""
    merged: list[tuple[int, int]] = []
    for first, last in sorted(pair for each in sets for pair in each):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return tuple(merged)


def complement(characters: CharacterSet) -> CharacterSet:
    """Return the characters that are not in the set."""
    starts = [0, *(last + 1 for _, last in characters)]
    ends = [*(first - 1 for first, _ in characters), LAST]
    return tuple((start, end) for start, end in zip(starts, ends, strict=True) if start <= end)


def of_points(points: Iterable[int]) -> CharacterSet:
    """Return the set of these code points."""
    return union([((point, point),) for point in points])


def category(name: str) -> CharacterSet:
    """Return a general category such as Lu, or a group of categories such as L.

    Raises `ValueError` for an unknown name.
    """
    found = [ranges for key, ranges in _categories().items() if key.startswith(name)]
    if not found or len(name) > 2:
        raise ValueError(f"\\p{{{name}}} is not supported; supported are general categories, such as L and Lu")
    return union(found)


def white_space() -> CharacterSet:
    r"""Return the characters of \s: the property White_Space."""
    return union([category("Z"), ((0x09, 0x0D), (0x85, 0x85))])


@functools.cache
def _categories() -> dict[str, CharacterSet]:
    ranges: dict[str, list[tuple[int, int]]] = {}
    for line in _TABLE.read_text(encoding="utf-8").splitlines()[1:]:
        first, last, name = line.split()
        ranges.setdefault(name, []).append((int(first, 16), int(last, 16)))
    assigned = union([tuple(each) for each in ranges.values()])
    return {name: tuple(each) for name, each in ranges.items()} | {"Cn": complement(assigned)}


def ignoring_case(characters: CharacterSet) -> CharacterSet:
    """Return the set with all characters that differ from a member only by case."""
    folded = {chr(point).casefold() for first, last in characters for point in range(first, last + 1)}
    folded = {text for text in folded if len(text) == 1}
    same = [point for text in folded for point in (ord(text), *_by_folded_text().get(text, ()))]
    return union([characters, of_points(same)])


@functools.cache
def _by_folded_text() -> dict[str, list[int]]:
    """Return the characters that folding changes to one character, by that character."""
    found: dict[str, list[int]] = {}
    for text in map(chr, range(LAST + 1)):
        folded = text.casefold()
        if folded != text and len(folded) == 1:
            found.setdefault(folded, []).append(ord(text))
    return found


class Partition:
    """The coarsest partition of all characters that refines each set.

    starts: the first code point of each range, from 0. numbers: the class of each range.
    count: the number of classes.
    """

    def __init__(self, sets: Sequence[CharacterSet]) -> None:
        members: dict[tuple[bool, ...], int] = {}
        self.starts: list[int] = []
        self.numbers: list[int] = []
        positions = [0] * len(sets)
        for start in sorted({0, *(bound for each in sets for first, last in each for bound in (first, last + 1))}):
            if start > LAST:
                break
            key = tuple(self._contains(each, positions, index, start) for index, each in enumerate(sets))
            number = members.setdefault(key, len(members))
            if not self.numbers or self.numbers[-1] != number:
                self.starts.append(start)
                self.numbers.append(number)
        self._classes = {
            each: frozenset(number for key, number in members.items() if key[index]) for index, each in enumerate(sets)
        }
        self.count = len(members)

    @staticmethod
    def _contains(characters: CharacterSet, positions: list[int], index: int, point: int) -> bool:
        """Return whether a set contains `point`. Points must be passed in ascending order."""
        at = positions[index]
        while at < len(characters) and characters[at][1] < point:
            at += 1
        positions[index] = at
        return at < len(characters) and characters[at][0] <= point

    def of(self, characters: CharacterSet) -> frozenset[int]:
        """Return the classes that a set consists of."""
        return self._classes[characters]
