"""A small image-to-image network that becomes a single CPU delegate."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from exir.model.spec import ModelSpec


class Network(nn.Module):
    """Maps images, float32 [2, 3, 9, 8], to [2, 5, 18, 16] and the channel argmax."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = nn.Conv2d(3, 12, 3, padding=1, padding_mode="reflect"), nn.Conv2d(20, 5, 1)
        self.down, self.up = nn.Conv2d(12, 8, 3, stride=2, padding=1), nn.ConvTranspose2d(8, 8, 3, stride=2)
        self.norm, self.frames = nn.GroupNorm(3, 12), nn.Conv3d(1, 1, 3, padding=1)

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor]:
        x = F.silu(self.norm(self.first(images)))
        deep = self.frames(self.down(x).unsqueeze(1)).squeeze(1)
        pooled = F.interpolate(F.adaptive_avg_pool2d(deep, (2, 3)), size=(9, 8), mode="bilinear", align_corners=True)
        near = F.interpolate(self.up(deep), size=(9, 8))
        joined = torch.cat([x + 0.1 * x.var(1, keepdim=True), near + pooled], 1)
        y = F.interpolate(self.last(joined), scale_factor=2, mode="bilinear")
        most, places = y.max(1)
        return y * torch.any(most > 0, 1, keepdim=True).unsqueeze(1).float(), places


def model() -> ModelSpec:
    """Entry point: two images."""
    return ModelSpec(Network(), (torch.randn(2, 3, 9, 8),))
