"""Write a small Qwen 3 model with random weights, in the format of Hugging Face.

python small_safetensors.py INDEX CONFIG FIRST-SHARD SECOND-SHARD TOKENIZER TOKENIZER-CONFIG
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor

_CONFIG = {
    "model_type": "qwen3",
    "head_dim": 16,
    "hidden_act": "silu",
    "hidden_size": 64,
    "intermediate_size": 96,
    "max_position_embeddings": 512,
    "num_attention_heads": 4,
    "num_hidden_layers": 2,
    "num_key_value_heads": 2,
    "rms_norm_eps": 1e-6,
    "rope_theta": 1000000.0,
    "tie_word_embeddings": True,
}
_CONTROLS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
_TEMPLATE = (
    "{%- for message in messages %}{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}{%- endfor %}"
    "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}"
)


def _byte_tokens() -> list[str]:
    """Return a token for each byte, as byte-level BPE writes them."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = sorted(set(range(256)) - set(printable))
    letters = {byte: chr(byte) for byte in printable} | {byte: chr(0x100 + i) for i, byte in enumerate(others)}
    return [letters[byte] for byte in range(256)]


def _tokenizer() -> dict[str, Any]:
    tokens = [*_byte_tokens(), "th"]
    added = [
        {
            "id": len(tokens) + i,
            "content": name,
            "special": True,
            "normalized": False,
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
        }
        for i, name in enumerate(_CONTROLS)
    ]
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": True}
    return {
        "version": "1.0",
        "added_tokens": added,
        "normalizer": None,
        "pre_tokenizer": level,
        "post_processor": level,
        "decoder": level,
        "model": {"type": "BPE", "vocab": {token: i for i, token in enumerate(tokens)}, "merges": [["t", "h"]]},
    }


def _shapes() -> Iterator[tuple[str, tuple[int, ...]]]:
    vocabulary = 257 + len(_CONTROLS)
    yield "model.embed_tokens.weight", (vocabulary, 64)
    for layer in range(2):
        block = f"model.layers.{layer}"
        yield f"{block}.self_attn.q_proj.weight", (64, 64)
        yield f"{block}.self_attn.k_proj.weight", (32, 64)
        yield f"{block}.self_attn.v_proj.weight", (32, 64)
        yield f"{block}.self_attn.o_proj.weight", (64, 64)
        yield f"{block}.self_attn.q_norm.weight", (16,)
        yield f"{block}.self_attn.k_norm.weight", (16,)
        yield f"{block}.mlp.gate_proj.weight", (96, 64)
        yield f"{block}.mlp.up_proj.weight", (96, 64)
        yield f"{block}.mlp.down_proj.weight", (64, 96)
        yield f"{block}.input_layernorm.weight", (64,)
        yield f"{block}.post_attention_layernorm.weight", (64,)
    yield "model.norm.weight", (64,)


def _tensors() -> dict[str, Tensor]:
    draw = torch.Generator().manual_seed(9)
    return {name: torch.randn(shape, generator=draw).mul(0.3).bfloat16() for name, shape in _shapes()}


def write(index: Path, config: Path, first: Path, second: Path, tokenizer: Path, tokenizer_config: Path) -> None:
    """Write the files of the model."""
    tensors = _tensors()
    names = list(tensors)
    half = len(names) // 2
    save_file({name: tensors[name] for name in names[:half]}, first, {"format": "pt"})
    save_file({name: tensors[name] for name in names[half:]}, second, {"format": "pt"})
    files = {name: (first if i < half else second).name for i, name in enumerate(names)}
    settings = {**_CONFIG, "vocab_size": len(tensors["model.embed_tokens.weight"])}
    documents = {
        config: settings,
        index: {"metadata": {}, "weight_map": files},
        tokenizer: _tokenizer(),
        tokenizer_config: {"chat_template": _TEMPLATE, "eos_token": "<|im_end|>"},
    }
    for path, document in documents.items():
        path.write_text(json.dumps(document), encoding="utf-8")


if __name__ == "__main__":
    write(*map(Path, sys.argv[1:]))
