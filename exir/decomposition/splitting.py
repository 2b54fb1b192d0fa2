"""Decomposes `tensor_split` into slices whose bounds are computed for each size."""

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload

_ATEN = torch.ops.aten


def _tensor_split(x: Tensor, sections: int, dim: int = 0) -> list[Tensor]:
    """Split into parts; the first `size % sections` have one more element.

    PyTorch's own decomposition compares the remainder with the index of each part, and evaluates
    the comparison for the example's size.
    """
    size = x.shape[dim]
    length, longer = size // sections, size % sections
    starts = [index * length + torch.sym_min(longer, index) for index in range(sections + 1)]
    return [x.narrow(dim, start, end - start) for start, end in pairwise(starts)]


SPLITTING: Mapping[OpOverload, Callable[..., Any]] = {_ATEN.tensor_split.sections: _tensor_split}
