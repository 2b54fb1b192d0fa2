"""What a worker does before its first request, so that requests need not."""

import io

import torch
from torch import Tensor, nn
from torch.export import Dim

from exir.cli.compile import Pipeline, export_methods, lower_programs
from exir.cli.environment import pin_torch
from exir.model_spec import ModelSpec


class _Picture(nn.Module):
    """Convolution, batch norm, pooling, a linear layer."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU6(inplace=True))
        self.classifier = nn.Linear(2, 2)

    def forward(self, x: Tensor) -> Tensor:
        pooled = nn.functional.adaptive_avg_pool2d(self.features(x), (1, 1))
        return self.classifier(torch.flatten(pooled, 1))


class _Sum(nn.Module):
    """A dynamic dimension and a mutable buffer."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("total", torch.zeros(1))

    def forward(self, x: Tensor) -> Tensor:
        self.total.add_(x.sum())
        return x * self.total


def warm_up() -> None:
    """Import everything and compile two tiny models, in memory.

    Torch and exir load much of themselves at first use. Compiled programs do not depend on
    whether this has run: a test compares them with one-shot compilations.
    """
    pin_torch()
    _compile(ModelSpec(_Picture(), (torch.ones(1, 1, 4, 4),)))
    dynamic = {"x": {0: Dim("n", min=2, max=4)}}
    _compile(ModelSpec(_Sum(), (torch.ones(2),), dynamic_shapes=dynamic))


def _compile(spec: ModelSpec) -> None:
    lower_programs(export_methods(spec), spec, Pipeline()).write_to_file(io.BytesIO())
