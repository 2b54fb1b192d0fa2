"""Work that a worker does before its first request."""

import io

import torch
from torch import Tensor, nn
from torch.export import Dim

from exir.cli.compile import Pipeline, export_methods, lower_programs
from exir.cli.worker.environment import pin_torch
from exir.model.spec import ModelSpec


class _ImageClassifier(nn.Module):
    """A CNN with the most common layers of image classifiers."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU6(inplace=True))
        self.block = nn.Sequential(nn.Conv2d(2, 2, 3, padding=1, groups=2), nn.ReLU(), nn.MaxPool2d(1))
        self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(2, 2))

    def forward(self, x: Tensor) -> Tensor:
        x = self.stem(x)
        x = nn.functional.adaptive_avg_pool2d(x + self.block(x), (1, 1))
        return self.classifier(torch.flatten(x, 1))


class _RunningSum(nn.Module):
    """A module with a dynamic dimension and a mutable buffer."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("total", torch.zeros(1))

    def forward(self, x: Tensor) -> Tensor:
        self.total.add_(x.sum())
        return x * self.total


def warm_up() -> None:
    """Import everything, and compile two tiny models in memory.

    Torch and exir load many modules on first use. Compiled programs do not depend on this function.
    A test compares them with those of single compilations.
    """
    pin_torch()
    _compile_spec(ModelSpec(_ImageClassifier(), (torch.ones(1, 1, 4, 4),)))
    dynamic = {"x": {0: Dim("n", min=2, max=4)}}
    _compile_spec(ModelSpec(_RunningSum(), (torch.ones(2),), dynamic_shapes=dynamic))


def _compile_spec(spec: ModelSpec) -> None:
    lower_programs(export_methods(spec), spec, Pipeline()).write_to_file(io.BytesIO())
