"""Small image networks with a dynamic batch; each becomes one CPU delegate."""

from __future__ import annotations

import torch
from torch import nn
from torch.export import Dim

from exir.model.spec import ModelSpec


class Network(nn.Module):
    """Maps channels-last images, float32 [n, 17, 19, 3], to [n, 5]."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(3, 24, 3, stride=2, padding=1),
            nn.ReLU6(),
            nn.Conv2d(24, 24, 3, padding=1, groups=24),
            nn.ReLU6(),
            nn.Conv2d(24, 40, 1),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
            nn.Linear(40, 5),
        )

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return self.layers(images.permute(0, 3, 1, 2))


def model() -> ModelSpec:
    """Entry point: up to 4 images."""
    n = Dim("n", min=1, max=4)
    return ModelSpec(Network(), (torch.randn(2, 17, 19, 3),), dynamic_shapes={"images": {0: n}})


class ExpandFilterProject(nn.Module):
    """Maps images [n, 3, 17, 19] to [n, 8, 17, 19]: expand, filter, project, filter."""

    def __init__(self) -> None:
        super().__init__()
        self.expand, self.project = nn.Conv2d(3, 24, 1), nn.Conv2d(24, 16, 1)
        self.filter, self.last = nn.Conv2d(24, 24, 3, padding=1, groups=24), nn.Conv2d(16, 8, 3, padding=1)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        wide = self.filter(self.expand(images).relu()).relu()
        return self.last(self.project(wide))


def tiled_winograd() -> ModelSpec:
    """Entry point: up to 4 images."""
    n = Dim("n", min=1, max=4)
    return ModelSpec(ExpandFilterProject(), (torch.randn(2, 3, 17, 19),), dynamic_shapes={"images": {0: n}})


class Int8Winograd(nn.Module):
    """Maps images [n, 3, 35, 39] to [n, 40, 18, 20]; channels suit int8 Winograd.

    Inputs and outputs are float32.
    """

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(3, 32, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv2d(32, 64, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(64, 40, 3, padding=1),
        )

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return self.layers(images)


def int8_winograd() -> ModelSpec:
    """Entry point: up to 4 images, calibrated for int8."""
    n = Dim("n", min=1, max=4)
    inputs = (torch.randn(2, 3, 35, 39),)
    return ModelSpec(
        Int8Winograd(), inputs, dynamic_shapes={"images": {0: n}}, calibration_inputs={"forward": [inputs]}
    )
