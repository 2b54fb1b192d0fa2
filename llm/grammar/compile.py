"""Compile grammars and JSON schemas to tables."""

from __future__ import annotations

import json
from typing import Any

from llm.grammar.document import fail
from llm.grammar.expressions import GrammarError
from llm.grammar.gbnf import ROOT, parse_grammar
from llm.grammar.json_schema import schema_rules
from llm.grammar.tables import Grammar, compile_rules


def compile_grammar(text: str) -> Grammar:
    """Compile a grammar in the notation of gbnf.py. Raises `GrammarError`."""
    return compile_rules(parse_grammar(text), ROOT)


def compile_schema(schema: Any) -> Grammar:
    """Compile a JSON schema, as `json.loads` returns it. Raises `GrammarError`."""
    return compile_rules(schema_rules(schema), ROOT)


def compile_schema_text(text: str) -> Grammar:
    """Compile the text of a JSON schema. Raises `GrammarError`."""
    try:
        schema = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise fail("#", f"not valid JSON: {error}") from error
    return compile_schema(schema)


__all__ = ["Grammar", "GrammarError", "compile_grammar", "compile_schema", "compile_schema_text"]
