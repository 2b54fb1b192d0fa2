"""Functions that stand for memory in a lowered graph. Run eagerly they do what their name says."""

from collections.abc import Sequence
from typing import Any

import torch


def alloc(spec: Any) -> Any:
    """Planned memory for an output: `(shape, dtype)`, or a list of these for a list of tensors."""
    if isinstance(spec, list):
        return [alloc(item) for item in spec]
    shape, dtype = spec
    return torch.empty(shape, dtype=dtype)


def view(base: torch.Tensor, size: Sequence[int]) -> torch.Tensor:
    """`base`'s memory under another shape; costs nothing at run time when sizes are static."""
    return base.view(size)
