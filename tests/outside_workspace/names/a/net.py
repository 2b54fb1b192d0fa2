"""Adds one; another package's model of the same name adds two."""

import torch


class Net(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + 1


def model() -> tuple[torch.nn.Module, tuple[torch.Tensor]]:
    return Net(), (torch.zeros(2),)
