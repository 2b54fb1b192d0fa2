"""Tests of identifiers in generated code."""

from __future__ import annotations

import pytest

from rules.interface.identifiers import RESERVED_WORDS, distinct, identifier, pascal_case, word


@pytest.mark.parametrize(
    ("name", "expected"),
    [("x", "x"), ("a.b", "a_b"), ("_x__1", "x_1"), ("int", "int"), ("gr\u00f6\u00dfe", "gr_e"), ("", ""), ("_", "")],
)
def test_word_is_part_of_an_identifier(name: str, expected: str) -> None:
    assert word(name) == expected


@pytest.mark.parametrize("language", RESERVED_WORDS)
def test_identifier_is_valid_in_each_language(language: str) -> None:
    names = ("image", "for", "2d", "a-b", "", "\u00e9", "taken")
    expected = ["image", "for_", "_2d", "a_b", "unnamed", "unnamed", "taken_"]
    assert [identifier(name, language, {"taken"}) for name in names] == expected


@pytest.mark.parametrize(
    ("name", "languages"),
    [
        ("new", {"cpp", "java", "typescript"}),
        ("type", {"rust", "typescript"}),
        ("fn", {"rust"}),
        ("and", {"cpp"}),
        ("restrict", {"c"}),
        ("synchronized", {"java"}),
    ],
)
def test_only_reserved_words_are_changed(name: str, languages: set[str]) -> None:
    changed = {language for language in RESERVED_WORDS if identifier(name, language) != name}
    assert changed == languages


def test_type_name_is_pascal_case() -> None:
    names = ("encode_image", "forward", "3d_net", "self")
    assert [pascal_case(name, "rust") for name in names] == ["EncodeImage", "Forward", "_3dNet", "Self_"]


def test_repeated_names_are_replaced() -> None:
    assert distinct(["x", "y", "x"], ["a", "b", "c"]) == ["a", "y", "c"]
