"""Split the fused weights of Phi: queries, keys and values, and gate and up."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from llm.decoder.config import DecoderConfig


def split_fused_weights(tensors: Mapping[str, Tensor], config: DecoderConfig) -> dict[str, Tensor]:
    """Return tensors by the names of `network.Decoder`, of which none is fused.

    `attn_qkv` has the rows of `attn_q`, `attn_k` and `attn_v`. `ffn_up` can have those of
    `ffn_gate` first.
    """
    queries, keys = config.heads * config.head, config.groups * config.head
    split: dict[str, Tensor] = {}
    for name, tensor in tensors.items():
        if ".attn_qkv." in name:
            parts = _split_rows(tensor, {"attn_q": queries, "attn_k": keys, "attn_v": keys})
            split |= {name.replace("attn_qkv", part): rows for part, rows in parts.items()}
        elif ".ffn_up." in name and tensor.shape[0] == 2 * config.hidden:
            parts = _split_rows(tensor, {"ffn_gate": config.hidden, "ffn_up": config.hidden})
            split |= {name.replace("ffn_up", part): rows for part, rows in parts.items()}
        else:
            split[name] = tensor
    return split


def _split_rows(tensor: Tensor, counts: Mapping[str, int]) -> dict[str, Tensor]:
    """Return the parts of a tensor with these numbers of rows."""
    if tensor.shape[0] != sum(counts.values()):
        raise ValueError(
            f"a fused weight has {tensor.shape[0]} rows, but {' and '.join(counts)} have {sum(counts.values())}; pass"
            " the configuration of the model's weights"
        )
    parts, start = {}, 0
    for name, count in counts.items():
        # Only index_select keeps the blocks of a tensor with quantized blocks.
        is_plain = type(tensor) is Tensor
        parts[name] = (
            tensor[start : start + count] if is_plain else tensor.index_select(0, torch.arange(start, start + count))
        )
        start += count
    return parts
