"""Tests of the order of text tokens."""

from __future__ import annotations

from llm.generate.text_tokens import shared_bytes, source, text_tokens
from text.generate.bpe_vocabulary import BYTE, CONTROL, NORMAL, UNKNOWN, UNUSED, USER_DEFINED, Vocabulary

_TOKENS = {
    b"<unk>": UNKNOWN,
    b"<s>": CONTROL,
    b"b": NORMAL,
    b"a": BYTE,
    b"ab": NORMAL,
    b"\xff": BYTE,
    b"abc": USER_DEFINED,
    b"unused": UNUSED,
    b"": NORMAL,
}


def _vocabulary() -> Vocabulary:
    tokens, kinds = [*_TOKENS, b"a"], [*_TOKENS.values(), NORMAL]
    return Vocabulary(tokens, [], {}, kinds, (), is_characters=True)


def test_order_has_single_bytes_but_no_control_tokens() -> None:
    vocabulary = _vocabulary()
    tokens = text_tokens(vocabulary)
    assert tokens == [3, 9, 4, 6, 2, 5]
    assert shared_bytes([vocabulary.tokens[token] for token in tokens]) == [0, 1, 1, 2, 0, 0]
    assert shared_bytes([b"x" * 300, b"x" * 301]) == [0, 255]


def test_source_has_a_bit_for_each_token() -> None:
    text = source(_vocabulary(), "name")
    assert "is_text[] = {\n124,2,\n};" in text
    assert "const et_grammar_tokens name_text_tokens = {tokens, shared, 6u, is_text};" in text
