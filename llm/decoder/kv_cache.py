"""The keys or the values of earlier tokens, as float32, float16 or int8."""

from __future__ import annotations

import torch
from torch import Tensor, nn

KV_CACHE_DTYPES = {"float32": torch.float32, "float16": torch.float16, "int8": torch.int8}
"""The dtypes of KV caches, by name."""

_INT8_MAX = 127


class KvCache(nn.Module):
    """One row for each group and cached token: [1, groups, count, head].

    int8 rows have one scale each: the largest absolute value is stored as 127 or -127.
    """

    rows: Tensor
    scales: Tensor | None

    def __init__(self, dtype: str, groups: int, count: int, head: int) -> None:
        super().__init__()
        rows = torch.zeros(1, groups, count, head, dtype=KV_CACHE_DTYPES[dtype])
        scales = torch.zeros(1, groups, count, 1) if dtype == "int8" else None
        self.register_buffer("rows", rows, persistent=False)
        self.register_buffer("scales", scales, persistent=False)

    def update(self, indices: Tensor, x: Tensor) -> None:
        """Replace the rows at `indices`.

        indices: int64 [n].
        x: float32 [1, groups, n, head].
        """
        if self.scales is not None:
            scales = (x.abs().amax(-1, keepdim=True) / _INT8_MAX).clamp_min(torch.finfo(x.dtype).tiny)
            self.scales.index_copy_(2, indices, scales)
            x = (x / scales).round()
        self.rows.index_copy_(2, indices, x.to(self.rows.dtype))

    def read(self) -> Tensor:
        """Return all rows as float32."""
        rows = self.rows.to(torch.float32)
        return rows if self.scales is None else rows * self.scales
