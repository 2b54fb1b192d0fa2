"""Tests of the prose check: extraction of prose, and each rule."""

import sys
import tomllib
from pathlib import Path

import pytest

_ROOT = Path(__file__).absolute().parents[2]
sys.path[:0] = [str(_ROOT / "tools/checking")]

from prose import CONFIG, Term, problems_of, terms_of

_TERMS = terms_of(
    {"term": [{"old": "few bits", "use": "low-bit"}, {"old": "^Of (?:a|the)", "use": "the subject first"}]}
)


def _problems(path: str, text: str) -> list[str]:
    return problems_of(path, text, _TERMS)


def test_prose_names_line_term_and_replacement() -> None:
    assert _problems("page.md", "Weights are\npacked.\n\nThey have few bits.\n") == [
        "page.md:4: 'few bits'; use low-bit"
    ]


def test_prose_terms_match_across_lines() -> None:
    assert _problems("page.md", "Weights of few\nbits are packed.\n") == ["page.md:1: 'few bits'; use low-bit"]


@pytest.mark.parametrize(
    "text",
    [
        "Pass `few bits` as a string.\n",
        "```\nfew bits\n```\n",
        "See [the page](few bits).\n",
        "The option few_bits is set.\n",
    ],
)
def test_prose_ignores_code_and_link_targets(text: str) -> None:
    assert _problems("page.md", text) == []


def test_prose_anchors_match_at_the_start_of_a_sentence() -> None:
    assert _problems("page.md", "Rows are packed. Of a row the first counts.\n") == [
        "page.md:1: 'Of a'; use the subject first"
    ]
    assert _problems("page.md", "The first element of a row counts.\n") == []


def test_prose_in_c_is_read_from_comments() -> None:
    text = (
        '/* Packs rows.\n *\n * Weights have few bits. */\nint few_bits; // few bits\nconst char *few = "few bits";\n'
    )
    assert _problems("a.c", text) == ["a.c:3: 'few bits'; use low-bit", "a.c:4: 'few bits'; use low-bit"]


def test_comments_of_shell_scripts_and_javascript_are_checked() -> None:
    script = "#!/bin/sh\nset -eu\n\n# Packs weights of few\n# bits.\necho few bits\n"
    assert _problems("pack", script) == ["pack:4: 'few bits'; use low-bit"]
    module = 'const name = "few bits";\n/** Packs few bits. */\n'
    assert _problems("pack.mjs", module) == ["pack.mjs:2: 'few bits'; use low-bit"]


@pytest.mark.parametrize("path", ["a.py", "a.bzl", "BUILD.bazel"])
def test_prose_in_python_and_starlark_is_read_from_comments_and_docstrings(path: str) -> None:
    text = '"""Packs few bits."""\n\n# Rows of few\n# bits.\nx = "few bits"\n'
    assert _problems(path, text) == [f"{path}:1: 'few bits'; use low-bit", f"{path}:3: 'few bits'; use low-bit"]


@pytest.mark.parametrize(
    "docstring, problem",
    [
        ('"""Packs rows"""', "first line is not a sentence"),
        ('"""Packs ' + "rows " * 20 + '."""', "first line of 107 characters"),
        ('""" """', "empty docstring"),
    ],
)
def test_docstring_starts_with_a_short_sentence(docstring: str, problem: str) -> None:
    (found,) = _problems("a.py", f"def pack():\n    {docstring}\n")
    assert found.startswith(f"a.py:2: {problem}")


def test_markdown_prose_is_wrapped_but_tables_and_code_are_not() -> None:
    wide = "word " * 21
    assert _problems("page.md", f"{wide}\n\n| {wide} |\n\n```\n{wide}\n```\n") == [
        "page.md:1: 105 columns; wrap prose at 100"
    ]


@pytest.mark.parametrize(
    "sentence",
    [
        "The value is no tensor.",
        "The rows lie in memory one after another.",
        "It takes 0.8 of its time.",
        "What is read is checked.",
        "The option has not the effect.",
    ],
)
def test_configured_terms_reject_phrases_of_the_writing_guide(sentence: str) -> None:
    terms = terms_of(tomllib.loads(CONFIG.read_text(encoding="utf-8")))
    assert problems_of("page.md", sentence + "\n", terms)


@pytest.mark.parametrize(
    "sentence",
    [
        "The value is not a tensor.",
        "The file no longer exists.",
        "The option has not been set.",
        "The kernel halves the row count.",
        "What to do next?",
    ],
)
def test_configured_terms_accept_idiomatic_sentences(sentence: str) -> None:
    terms: list[Term] = terms_of(tomllib.loads(CONFIG.read_text(encoding="utf-8")))
    assert problems_of("page.md", sentence + "\n", terms) == []
