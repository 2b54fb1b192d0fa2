"""float16 and bfloat16 scalars, weights and activations."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from exir.model.spec import ModelSpec


class Scaled(nn.Module):
    """Converts a mask of zeros and ones to scores, and divides large elements."""

    def __init__(self) -> None:
        super().__init__()
        self.factor = nn.Parameter(torch.tensor(1e-8))

    def forward(self, mask: torch.Tensor, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        scores = (1 - mask) * -1e9
        return scores, x / 100000, x * 1e-8, x * self.factor, x.bfloat16() * 0.3


def scalars() -> ModelSpec:
    """Entry point: multiplies and divides 16-bit tensors by out-of-range scalars."""
    mask = torch.tensor([1.0, 0.0, 1.0, 1.0]).half()
    return ModelSpec(Scaled(), (mask, torch.tensor([60000.0, -60000.0, 0.5, 7.0]).half()))


class Network(nn.Module):
    """Maps images [2, 3, 12, 10], tokens [2, 6], rows [2, 6, 24] to logits and rows.

    The logits are [2, 6, 40], and the rows are bfloat16.
    """

    def __init__(self) -> None:
        super().__init__()
        self.tokens = nn.Embedding(40, 24)
        self.first, self.wide = nn.Conv2d(3, 12, 3, padding=1), nn.Conv2d(12, 150, 3, stride=2)
        self.each, self.point = nn.Conv2d(150, 150, 3, padding=1, groups=150), nn.Conv2d(150, 24, 1)
        self.grouped, self.up = nn.Conv2d(24, 24, 3, padding=1, groups=2), nn.ConvTranspose2d(24, 24, 2, stride=2)
        self.hidden = nn.Linear(24, 96)
        self.back = nn.Parameter(torch.randn(2, 96, 24) / 10)

    def forward(self, images: Tensor, tokens: Tensor, rows: Tensor) -> tuple[Tensor, Tensor]:
        x = torch.relu(self.wide(F.silu(self.first(images))))
        x = self.up(self.grouped(self.point(F.hardswish(self.each(x))))).mean((2, 3))
        x = self.tokens(tokens) + x.unsqueeze(1) + rows.to(x.dtype)
        x = x + F.gelu(self.hidden(x)) @ self.back
        return F.linear(x, self.tokens.weight), x.bfloat16()


def _network(dtype: torch.dtype) -> Network:
    network = Network()
    for parameter in network.parameters():
        parameter.data = parameter.data.to(dtype).to(parameter.dtype)
    return network.eval()


def float16_weights() -> ModelSpec:
    """Entry point: float32 weights that float16 represents exactly."""
    rows = torch.randn(2, 6, 24).half()
    return ModelSpec(_network(torch.float16), (torch.randn(2, 3, 12, 10), torch.randint(40, (2, 6)), rows))


def bfloat16_module() -> ModelSpec:
    """Entry point: a bfloat16 module with bfloat16 inputs and results."""
    network, rows = _network(torch.bfloat16).bfloat16(), torch.randn(2, 6, 24).bfloat16()
    return ModelSpec(network, (torch.randn(2, 3, 12, 10).bfloat16(), torch.randint(40, (2, 6)), rows))
