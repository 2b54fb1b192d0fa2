"""Functions that represent memory in a lowered graph; they also run eagerly."""

from collections.abc import Sequence
from typing import Any

import torch


def alloc(spec: Any) -> Any:
    """Allocate planned memory: `(shape, dtype)`, or a list of these."""
    if isinstance(spec, list):
        return [alloc(item) for item in spec]
    shape, dtype = spec
    return torch.empty(shape, dtype=dtype)


def view(base: torch.Tensor, size: Sequence[int]) -> torch.Tensor:
    """View memory in a different shape; no run-time cost if sizes are static."""
    return base.view(size)
