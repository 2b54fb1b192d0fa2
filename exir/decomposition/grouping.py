"""Lowers grouped GEMMs to the operator `grouped::mm`, which has a kernel."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload

import exir.dialects.grouped_ops  # noqa: F401  (registers the operator)

_ATEN = torch.ops.aten


def experts_decompositions() -> Mapping[OpOverload, Callable[..., Any]]:
    """Return the decomposition of transformers' experts operator, if registered."""
    if not torch._C._jit_get_schemas_for_operator("transformers::grouped_mm_fallback"):
        return {}
    return {torch.ops.transformers.grouped_mm_fallback.default: torch.ops.grouped.mm.default}


def _grouped_mm(
    x: Tensor,
    matrices: Tensor,
    ends: Tensor | None = None,
    bias: Tensor | None = None,
    dtype: torch.dtype | None = None,
) -> Tensor:
    """Multiply each group of rows by its matrix; without `ends`, multiply batches."""
    if bias is not None or dtype not in (None, x.dtype) or matrices.dim() != 3:
        return NotImplemented
    if ends is None:
        return torch.bmm(x, matrices) if x.dim() == 3 else NotImplemented
    return torch.ops.grouped.mm(x, matrices, ends) if x.dim() == 2 else NotImplemented


GROUPING: Mapping[OpOverload, Callable[..., Any]] = {_ATEN._grouped_mm.default: _grouped_mm}
