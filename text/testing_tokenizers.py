"""Provide reference tokenizers from the package `tokenizers`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers


def smollm_tokenizer(metadata: Mapping[str, Any]) -> Tokenizer:
    """Return a tokenizer with a GGUF file's vocabulary and SmolLM2's configuration.

    It splits at digits first, then into GPT-2's words.
    """
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
    """Return the tokenizer with the file's control tokens added as special tokens."""
    kinds = zip(metadata["tokenizer.ggml.tokens"], metadata["tokenizer.ggml.token_type"], strict=True)
    tokenizer.add_special_tokens(
        [AddedToken(name, normalized=False, special=True) for name, kind in kinds if kind == 3]
    )
    return tokenizer
