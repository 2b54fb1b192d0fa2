"""Tests that the pages of options and of command-line tools match the code."""

from pathlib import Path

import pytest

from exir.cli.config import SECTIONS
from tests.reference import cli_page, config_page
from tests.reference.docstrings import as_sentence, documented_names

_ROOT = Path(__file__).absolute().parents[2]


@pytest.mark.parametrize("module", [cli_page, config_page])
def test_generated_reference_page_is_up_to_date(module: object) -> None:
    text = (_ROOT / module.PAGE).read_text(encoding="utf-8")  # type: ignore[attr-defined]
    assert text == module.page(), f"run tools/python -m {module.__name__}"  # type: ignore[attr-defined]


def test_every_config_option_has_a_row() -> None:
    text = config_page.page()
    for section, keys in SECTIONS.items():
        start = text.index(f"## `[{section}]`")
        rows = text[start : text.index("\n## ", start + 1)]
        assert [key for key in keys if f"\n| `{key}` | " not in rows] == []


def test_every_tool_argument_has_a_row() -> None:
    text = cli_page.page()
    for tool in cli_page._TOOLS:
        for action in cli_page.parser_of(tool.module)._actions:
            assert all(f"`{option}" in text for option in action.option_strings if action.dest != "help")
    assert cli_page.parser_of("executorch_runtime.cli.run").prog == "executorch_run"


def test_docstrings_describe_every_name() -> None:
    text = (
        "First line.\n\n    a, b: one thing,\n        continued.\n    c: other.\n\n    More: text here.\n    d: e|f.\n"
    )
    assert documented_names(text) == {
        "a": "one thing, continued.",
        "b": "one thing, continued.",
        "c": "other.",
        "More": "text here.",
        "d": "e|f.",
    }
    assert as_sentence("e|f") == "E\\|f."
