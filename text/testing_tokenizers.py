"""Tokenizers of the package `tokenizers` to compare with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers


def smollm_tokenizer(metadata: Mapping[str, Any]) -> Tokenizer:
    """That of a GGUF file's vocabulary, as SmolLM2's makers configure it: digits apart, then GPT-2's words."""
    names = metadata["tokenizer.ggml.tokens"]
    merges = [tuple(merge.split(" ")) for merge in metadata["tokenizer.ggml.merges"]]
    tokenizer = Tokenizer(models.BPE({name: number for number, name in enumerate(names)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
        ]
    )
    return tokenizer


def with_controls(tokenizer: Tokenizer, metadata: Mapping[str, Any]) -> Tokenizer:
    """The same, which knows the names of tokens that control."""
    kinds = zip(metadata["tokenizer.ggml.tokens"], metadata["tokenizer.ggml.token_type"], strict=True)
    tokenizer.add_special_tokens(
        [AddedToken(name, normalized=False, special=True) for name, kind in kinds if kind == 3]
    )
    return tokenizer
