"""A three-layer model, a copy with a broken layer, and a model with dynamic rows."""

import torch
from torch import Tensor, nn
from torch.export import Dim

from exir import ModelSpec


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(8, 16)
        self.second = nn.Linear(16, 16)
        self.third = nn.Linear(16, 4)

    def forward(self, x: Tensor) -> Tensor:
        x = torch.relu(self.first(x))
        x = torch.relu(self.second(x))
        return self.third(x)


def model() -> tuple[nn.Module, tuple[Tensor]]:
    torch.manual_seed(0)
    return Net(), (torch.randn(4, 8),)


def broken() -> tuple[nn.Module, tuple[Tensor]]:
    net, inputs = model()
    assert isinstance(net, Net)
    with torch.no_grad():
        net.second.weight[3] *= 1.5
    return net, inputs


class Rows(nn.Module):
    def forward(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        return rows.sum(0), rows * 1e3


def rows() -> ModelSpec:
    return ModelSpec(Rows(), (torch.randn(4, 8),), dynamic_shapes={"rows": {0: Dim("count", min=1, max=32)}})
