"""A model that the backend runs in part: the large tensor exceeds its limit."""

import torch


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.widen = torch.nn.Linear(8, 100)
        self.narrow = torch.nn.Linear(100, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return -self.narrow(torch.relu(self.widen(torch.relu(x))))


def model() -> tuple[torch.nn.Module, tuple[torch.Tensor]]:
    return Net(), (torch.randn(1, 8),)
