"""Regular expressions of JSON schemas."""

from __future__ import annotations

from typing import Any

from llm.grammar.document import fail
from llm.grammar.expressions import Expression


def pattern_text(pattern: Any, path: str) -> Expression:
    """Return the texts inside a JSON string that match a regular expression."""
    raise fail(path, "is not supported; remove it")
