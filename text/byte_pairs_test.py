"""Vocabularies of byte pairs become tables, or it is said what is wrong with them."""

from __future__ import annotations

import re
from typing import Any

import pytest

from text.generate import byte_pairs

_TEMPLATE = "{% for m in messages %}<{{ m['role'] }}>{{ m['content'] }}</>{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}"


def _metadata(**changes: Any) -> dict[str, Any]:
    tokens = ["</>", "a", "b", "Ġ", "ab", "Ġab", "é", "ÃĦ"]
    return {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "smollm",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": [3] + [1] * (len(tokens) - 1),
        "tokenizer.ggml.merges": ["a b", "Ġ ab"],
        "tokenizer.ggml.eos_token_id": 0,
        "tokenizer.chat_template": _TEMPLATE,
    } | {f"tokenizer.ggml.{name}": value for name, value in changes.items()}


def test_letters_become_the_bytes_that_they_stand_for() -> None:
    vocabulary = byte_pairs.read_vocabulary(_metadata())
    assert vocabulary.tokens == [b"</>", b"a", b"b", b" ", b"ab", b" ab", b"\xe9", "Ä".encode()]
    assert vocabulary.merges == [(1, 2, 4), (3, 4, 5)]
    assert vocabulary.controls == {"</>": 0}


def test_merges_lie_behind_their_left_token() -> None:
    source = byte_pairs.source(_metadata(), "small", "small.h")
    arrays = dict(re.findall(r"uint32_t (\w+)\[\] = \{\n(.*?)\n\};", source, re.DOTALL))
    assert arrays["starts"] == "0,0,1,1,2,2,2,2,2,"
    assert (arrays["rights"], arrays["ranks"], arrays["results"]) == ("2,4,", "0,1,", "4,5,")
    assert "const et_chat_template small_chat = {" in source


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model": "llama"}, r"its tokenizer is of kind 'llama'; 'gpt2' \(byte pairs\) is read"),
        ({"pre": "other"}, "its words are cut as 'other' says; known are gpt-2, llama-bpe, qwen2, smollm"),
        ({"merges": ["b a"]}, "merge 'b a' needs the token 'ba', which it has not"),
    ],
)
def test_another_vocabulary_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        byte_pairs.source(_metadata(**changes), "small", "small.h")
