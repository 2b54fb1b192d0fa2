"""Image segmentation with dynamic height and width, which the output shares."""

from __future__ import annotations

import torch
from torch import nn
from torch.export import Dim

from exir.model.spec import ModelSpec


class Segmenter(nn.Module):
    """Maps float32 [1, 3, h, w] to [1, 2, h, w]."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Conv2d(3, 4, 3, stride=2, padding=1)
        self.score = nn.Conv2d(4, 2, 1)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        features = torch.relu(self.features(image))
        pooled = nn.functional.adaptive_avg_pool2d(features, 1).sigmoid()
        scores = self.score(features * pooled)
        smooth = nn.functional.interpolate(scores, size=image.shape[-2:], mode="bilinear", align_corners=False)
        return smooth + nn.functional.interpolate(scores, size=image.shape[-2:], mode="nearest")


def model() -> ModelSpec:
    """Entry point: the height has an upper bound; the config bounds the width."""
    shapes = {"image": {2: Dim("h", min=4, max=24), 3: Dim("w", min=4)}}
    return ModelSpec(Segmenter(), (torch.randn(1, 3, 16, 12),), dynamic_shapes=shapes)
