"""Write small GGUF files with random weights.

Metadata, tensors and chat templates have the same structure as those of Llama 3.2 and Qwen 2.5. The
third model is a Gemma 2 with a window in its first layer, and the tokens of Qwen 2.5.

    python small_files.py LLAMA-FILE QWEN-FILE WINDOW-FILE
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import gguf
import numpy as np
from gguf import GGMLQuantizationType as Type
from numpy.typing import NDArray

_WIDTH, _HIDDEN, _LAYERS = 64, 96, 2
_HEADS, _GROUPS, _HEAD = 4, 2, 16
_SLOWINGS = (1.0, 1.0, 1.5, 2.5, 4.0, 8.0, 16.0, 32.0)
_HEADED = (
    "{{- bos_token }}{%- if messages[0]['role'] == 'system' %}{%- set said = messages[0]['content'] | trim %}{%- set messages = messages[1:] %}"
    "{%- else %}{%- set said = '' %}{%- endif %}"
    "{{- '<|start_header_id|>system<|end_header_id|>\\n\\nToday Date: 26 Jul 2024\\n\\n' + said + '<|eot_id|>' }}"
    "{%- for message in messages %}{{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n' + message['content'] | trim"
    " + '<|eot_id|>' }}{%- endfor %}"
    "{%- if add_generation_prompt %}{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{%- endif %}"
)
_MARKED = (
    "{%- if messages[0]['role'] == 'system' %}{{- '<|im_start|>system\\n' + messages[0]['content'] + '<|im_end|>\\n' }}"
    "{%- else %}{{- '<|im_start|>system\\nYou are a helpful assistant.<|im_end|>\\n' }}{%- endif %}"
    "{%- for message in messages %}{%- if message.role == 'user' or (message.role == 'system' and not loop.first)"
    " or (message.role == 'assistant' and not message.tool_calls) %}"
    "{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}{%- endif %}{%- endfor %}"
    "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}"
)


@dataclass(frozen=True)
class Kind:
    """Differences between the model families."""

    architecture: str
    cut: str  # tokenizer.ggml.pre
    base: float
    epsilon: float
    biased: bool
    tied: bool
    slowed: bool
    template: str
    controls: tuple[str, ...]  # the first starts a text, the second ends an answer
    length: int = 512  # context length in tokens
    window: int | None = None  # tokens that layers with a window see
    norms: tuple[str, ...] = ("attn_norm", "ffn_norm")


LLAMA = Kind(
    architecture="llama",
    cut="llama-bpe",
    base=500000.0,
    epsilon=1e-5,
    biased=False,
    tied=True,
    slowed=True,
    template=_HEADED,
    controls=("<|begin_of_text|>", "<|eot_id|>", "<|start_header_id|>", "<|end_header_id|>"),
)
QWEN = Kind(
    architecture="qwen2",
    cut="qwen2",
    base=1000000.0,
    epsilon=1e-6,
    biased=True,
    tied=False,
    slowed=False,
    template=_MARKED,
    controls=("<|endoftext|>", "<|im_end|>", "<|im_start|>"),
)
WINDOW = replace(
    QWEN,
    architecture="gemma2",
    biased=False,
    window=96,
    norms=("attn_norm", "post_attention_norm", "ffn_norm", "post_ffw_norm"),
)


def _tokens(kind: Kind) -> list[str]:
    """Return single-byte tokens as letters, one merged token, and control tokens."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    letters = {byte: chr(byte) for byte in printable}
    letters |= {byte: chr(0x100 + i) for i, byte in enumerate(sorted(set(range(256)) - set(printable)))}
    return [*(letters[byte] for byte in range(256)), "th", *kind.controls]


def _matrices(kind: Kind, vocabulary: int) -> Iterator[tuple[str, tuple[int, int], Type]]:
    yield "token_embd", (vocabulary, _WIDTH), Type.Q8_0
    if not kind.tied:
        yield "output", (vocabulary, _WIDTH), Type.Q8_0
    for layer in range(_LAYERS):
        yield f"blk.{layer}.attn_q", (_HEADS * _HEAD, _WIDTH), Type.Q4_0
        yield f"blk.{layer}.attn_k", (_GROUPS * _HEAD, _WIDTH), Type.Q4_0
        yield f"blk.{layer}.attn_v", (_GROUPS * _HEAD, _WIDTH), Type.Q4_1
        yield f"blk.{layer}.attn_output", (_WIDTH, _HEADS * _HEAD), Type.Q4_0
        yield f"blk.{layer}.ffn_gate", (_HIDDEN, _WIDTH), Type.Q4_1
        yield f"blk.{layer}.ffn_up", (_HIDDEN, _WIDTH), Type.Q8_0
        yield f"blk.{layer}.ffn_down", (_WIDTH, _HIDDEN), Type.Q5_0


def _vectors(kind: Kind) -> Iterator[tuple[str, int]]:
    yield "output_norm.weight", _WIDTH
    for layer in range(_LAYERS):
        for norm in kind.norms:
            yield f"blk.{layer}.{norm}.weight", _WIDTH
        if kind.biased:
            yield f"blk.{layer}.attn_q.bias", _HEADS * _HEAD
            yield f"blk.{layer}.attn_k.bias", _GROUPS * _HEAD
            yield f"blk.{layer}.attn_v.bias", _GROUPS * _HEAD


def add_shape(writer: gguf.GGUFWriter, kind: Kind) -> None:
    """Add the sizes of the network."""
    writer.add_block_count(_LAYERS)
    writer.add_context_length(kind.length)
    writer.add_embedding_length(_WIDTH)
    writer.add_feed_forward_length(_HIDDEN)
    writer.add_head_count(_HEADS)
    writer.add_head_count_kv(_GROUPS)
    writer.add_rope_freq_base(kind.base)
    writer.add_layer_norm_rms_eps(kind.epsilon)
    if kind.window is not None:
        writer.add_sliding_window(kind.window)
    if kind.slowed:
        writer.add_key_length(_HEAD)
        writer.add_value_length(_HEAD)
        writer.add_rope_dimension_count(_HEAD)


def _add_text(writer: gguf.GGUFWriter, kind: Kind, tokens: list[str]) -> None:
    plain = len(tokens) - len(kind.controls)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(kind.cut)
    writer.add_token_list(tokens)
    writer.add_token_types([gguf.TokenType.NORMAL] * plain + [gguf.TokenType.CONTROL] * len(kind.controls))
    writer.add_token_merges(["t h"])
    writer.add_bos_token_id(plain)
    writer.add_eos_token_id(plain + 1)
    writer.add_chat_template(kind.template)


def add_tensors(writer: gguf.GGUFWriter, kind: Kind, vocabulary: int) -> None:
    """Add random weights for a number of tokens."""
    draw = np.random.default_rng(9)
    for name, sizes, blocks in _matrices(kind, vocabulary):
        values: NDArray[np.float32] = draw.normal(0, 0.3, sizes).astype(np.float32)
        writer.add_tensor(f"{name}.weight", gguf.quants.quantize(values, blocks), raw_dtype=blocks)
    for name, size in _vectors(kind):
        writer.add_tensor(name, draw.uniform(0.5, 1.5, size).astype(np.float32))
    if kind.slowed:
        writer.add_tensor("rope_freqs.weight", np.array(_SLOWINGS, np.float32))


def write(path: Path, kind: Kind) -> None:
    writer = gguf.GGUFWriter(path, kind.architecture)
    tokens = _tokens(kind)
    add_shape(writer, kind)
    _add_text(writer, kind, tokens)
    add_tensors(writer, kind, len(tokens))
    finish(writer)


def finish(writer: gguf.GGUFWriter) -> None:
    """Write the file."""
    for step in (writer.write_header_to_file, writer.write_kv_data_to_file, writer.write_tensors_to_file, writer.close):
        step()


def main() -> int:
    for path, kind in zip(map(Path, sys.argv[1:]), (LLAMA, QWEN, WINDOW), strict=True):
        write(path, kind)
    return 0


if __name__ == "__main__":
    sys.exit(main())
