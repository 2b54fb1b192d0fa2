"""Keeps scaled dot-product attention (SDPA) as one operator of this runtime."""

import math
from typing import Any

import torch
from torch import Tensor

import exir.dialects.attention_ops  # noqa: F401  (registers the operator)

_ATTENTION = torch.ops.aten.scaled_dot_product_attention.default
_DTYPES = (torch.float16, torch.bfloat16, torch.float32)


def preserve_sdpa(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Any:
    """Return one SDPA operator, or its decomposition if the call is not supported."""
    arguments = (query, key, value, attn_mask, dropout_p, is_causal)
    if dropout_p != 0 or not _can_preserve_sdpa(query, key, value, attn_mask):
        return _ATTENTION.decompose(*arguments, scale=scale, enable_gqa=enable_gqa)
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    return torch.ops.attention.scaled_dot_product(query, key, value, attn_mask, is_causal, factor)


def _can_preserve_sdpa(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> bool:
    """Return true if the kernel supports the operands.

    They must be [batch, heads, rows, size] with equal batch sizes, and the key's and value's head count
    must divide the query's.
    """
    tensors = (query, key, value)
    if (
        any(tensor.dim() != 4 or tensor.dtype != query.dtype for tensor in tensors)
        or query.dtype not in _DTYPES
    ):
        return False
    heads, shared = query.shape[1], key.shape[1]
    fixed = (heads, shared, value.shape[1], *(tensor.shape[-1] for tensor in tensors))
    if not all(isinstance(size, int) for size in fixed) or shared != value.shape[1] or heads % shared:
        return False
    same_batch = query.shape[0] == key.shape[0] == value.shape[0]
    return same_batch and (
        mask is None or (2 <= mask.dim() <= 4 and mask.dtype in (torch.bool, query.dtype))
    )


PRESERVE_SDPA = {_ATTENTION: preserve_sdpa}
