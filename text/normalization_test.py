"""Compares the table of all characters with the package `tokenizers`."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from tokenizers import normalizers

from text.generate import normalization

_HANGUL = range(0xAC00, 0xD7A4)
_POINTS = [point for point in range(0x110000) if not 0xD800 <= point < 0xE000 and point not in _HANGUL]


@pytest.mark.parametrize(
    ("changes", "normalizer"),
    [
        (lambda: normalization.decompositions(compatible=False), normalizers.NFD()),
        (lambda: normalization.decompositions(compatible=True), normalizers.NFKD()),
        (normalization.lower_case, normalizers.Lowercase()),
        (normalization.accents, normalizers.StripAccents()),
    ],
)
def test_characters_change_like_those_of_the_package(
    changes: Callable[[], dict[int, str]], normalizer: normalizers.Normalizer
) -> None:
    table = changes()
    different = [point for point in _POINTS if table.get(point, chr(point)) != normalizer.normalize_str(chr(point))]
    assert not different


def test_combining_classes_order_marks_like_the_package() -> None:
    ranges = normalization.combining_classes()
    classes = {point: value for first, last, value in ranges for point in range(first, last + 1)}
    normalize, draw = normalizers.NFD().normalize_str, random.Random(7)
    for _ in range(20_000):
        marks = draw.choices(list(classes), k=6)
        assert normalize("a" + "".join(map(chr, marks))) == "a" + "".join(map(chr, sorted(marks, key=classes.get)))  # type: ignore[arg-type]


def test_compositions_are_those_of_the_package() -> None:
    normalize = normalizers.NFC().normalize_str
    rows = normalization.compositions()
    assert all(normalize(chr(first) + chr(second)) == chr(result) for first, second, result in rows)
    decomposed = normalization.decompositions(compatible=False).items()
    assert {result for *_, result in rows} == {point for point, text in decomposed if normalize(text) == chr(point)}
