"""The operator `attention::scaled_dot_product` (SDPA), without a score matrix.

PyTorch's `scaled_dot_product_attention` has no out variant, so a `.pte` program cannot call it.
"""

import torch
from torch import Tensor
from torch.library import Library

from exir.dialects.custom_ops import writing

NAMESPACE = "attention"
_NAME = "scaled_dot_product"
_ARGUMENTS = "(Tensor query, Tensor key, Tensor value, Tensor? mask, bool is_causal, float scale"


def _compute_sdpa(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, is_causal: bool, scale: float
) -> Tensor:
    """Compute SDPA. There can be fewer key and value heads than query heads (GQA)."""
    return torch.nn.functional.scaled_dot_product_attention(
        query, key, value, mask, is_causal=is_causal, scale=scale, enable_gqa=True
    ).contiguous()


def _shape_only(query: Tensor, key: Tensor, value: Tensor, *_: object) -> Tensor:
    return query.new_empty([*query.shape[:-1], value.shape[-1]])


def _register_attention_ops() -> Library:
    library = Library(NAMESPACE, "FRAGMENT")
    library.define(f"{_NAME}{_ARGUMENTS}) -> Tensor")
    library.define(f"{_NAME}.out{_ARGUMENTS}, *, Tensor(a!) out) -> Tensor(a!)")
    library.impl(_NAME, _compute_sdpa, "CompositeExplicitAutograd")
    library.impl(_NAME, _shape_only, "Meta")
    library.impl(f"{_NAME}.out", writing(_compute_sdpa), "CompositeExplicitAutograd")
    return library


# Torch unregisters the operators when the library object is deleted.
_LIBRARY = _register_attention_ops()
