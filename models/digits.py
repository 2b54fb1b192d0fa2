"""A convolutional network for 8 x 8 handwritten digits.

train_digits.py wrote its weights, digits.safetensors.
"""

from __future__ import annotations

import torch
from torch import nn


class DigitsNet(nn.Module):
    """Convert (N, 1, 8, 8) float32 images in [0, 1] to (N, 10) float32 logits."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            *_block(1, 16),
            *_block(16, 32),
            nn.MaxPool2d(2),
            *_block(32, 32),
            nn.MaxPool2d(2),
        )
        self.classifier = nn.Linear(32 * 2 * 2, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.classifier(torch.flatten(self.features(x), 1))


def _block(inputs: int, outputs: int) -> tuple[nn.Module, ...]:
    convolution = nn.Conv2d(inputs, outputs, 3, padding=1, bias=False)
    return convolution, nn.BatchNorm2d(outputs), nn.ReLU()


def digits() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    """Entry point: the network in evaluation mode and an example input."""
    return DigitsNet().eval(), (torch.rand(1, 1, 8, 8),)
