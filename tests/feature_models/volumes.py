"""Volumes on the CPU backend: upsampling, pooling, col2im, grid sampling, top-k."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from exir.model.spec import ModelSpec


class VolumeNetwork(nn.Module):
    """Maps volumes, float32 [2, 3, 4, 5, 6], to the top 3 values and their indices.

    The third output is the cumulative sum of the max-pooling indices.
    """

    def __init__(self) -> None:
        super().__init__()
        self.up = nn.ConvTranspose3d(3, 4, 3, stride=2, padding=1)

    def forward(self, volumes: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        pooled, places = F.adaptive_max_pool3d(self.up(volumes), (2, 3, 4), return_indices=True)
        images = F.adaptive_avg_pool2d(pooled[:, :, 0], (2, 5))
        added = F.fold(F.unfold(images, 2), (2, 5), 2)
        grid = torch.tanh(added[:, :2].permute(0, 2, 3, 1))
        seen = [
            F.grid_sample(pooled[:, :, 1], grid, mode, padding, align_corners=False)
            for mode, padding in (("bilinear", "zeros"), ("bicubic", "reflection"))
        ]
        largest, at = torch.cat(seen, 1).flatten(1).topk(3)
        return largest, at, places.cumsum(-1)


def model() -> ModelSpec:
    """Entry point: two volumes."""
    return ModelSpec(VolumeNetwork(), (torch.randn(2, 3, 4, 5, 6),))
