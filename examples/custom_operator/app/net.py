"""Calls the operator of //ops with values that are read from files."""

from pathlib import Path

import torch

from exir import data_path
from ops.operators import soft_step

OFFSET = float(Path(__file__).with_name("offset.txt").read_text())
SLOPE = float(data_path("app/slope.txt").read_text())


class Net(torch.nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor, row: torch.Tensor) -> torch.Tensor:
        return soft_step(x + y, SLOPE) + row + OFFSET


def model() -> tuple[torch.nn.Module, tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
    return Net(), (torch.randn(3, 4), torch.randn(3, 4), torch.randn(4))
