"""Helpers shared by the tests of small transformers models."""

from __future__ import annotations

import importlib
from typing import Any

import torch
from torch import nn

VOCABULARY, LENGTH = 200, 16
SIZES = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128}
TEXT = {**SIZES, "vocab_size": VOCABULARY, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
DECODER = {**TEXT, "num_key_value_heads": 2, "head_dim": 16}
IMAGE = {**SIZES, "image_size": 64, "patch_size": 16}
TWO_STACKS = {
    **TEXT,
    "d_model": 64,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 128,
    "decoder_ffn_dim": 128,
    "decoder_start_token_id": 1,
    "forced_eos_token_id": None,
}
T5 = {**TEXT, "d_model": 64, "d_ff": 128, "num_layers": 2, "num_heads": 4, "d_kv": 16, "decoder_start_token_id": 1}


def transformers() -> Any:
    return importlib.import_module("transformers")


def create_model(model: str, config: str, **options: Any) -> nn.Module:
    """Create the model with eager attention and without a cache.

    Options that are None are omitted, because not every model has them.
    """
    package = transformers()
    configuration = getattr(package, config)(**{name: value for name, value in options.items() if value is not None})
    configuration.use_cache = False
    configuration._attn_implementation = "eager"
    return getattr(package, model)(configuration)


def random_tokens(length: int = LENGTH) -> torch.Tensor:
    return torch.randint(3, 100, (1, length))
