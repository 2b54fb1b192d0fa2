"""What is tried: a model with random weights and inputs, and where it comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.utils import _pytree as pytree


@dataclass(frozen=True)
class Subject:
    """A model and the calls to compare: the first is what it is exported with, the others are of other sizes."""

    module: nn.Module
    calls: tuple[tuple[Any, ...], ...]
    dynamic_shapes: Any = None
    strict: bool = False


@dataclass(frozen=True)
class Architecture:
    """name: of what it is in its package. make: imports the package and makes the model."""

    package: str
    name: str
    make: Callable[[], Subject]

    def __str__(self) -> str:
        return f"{self.package}/{self.name}"


class Tensors(nn.Module):
    """Calls a model by keywords and keeps the tensors of what it gives: `keep` names them, else the first is kept."""

    def __init__(self, module: nn.Module, keywords: Iterable[str], keep: Iterable[str] = ()) -> None:
        super().__init__()
        self.module, self.keywords, self.keep = module, tuple(keywords), tuple(keep)

    def forward(self, *inputs: Any) -> Any:
        outputs = self.module(**dict(zip(self.keywords, inputs, strict=True)))
        if self.keep:
            return tuple(getattr(outputs, name) for name in self.keep)
        return next(each for each in pytree.tree_leaves(outputs) if isinstance(each, torch.Tensor))


class Part(nn.Module):
    """`call` made on a model, of which it needs only a part."""

    def __init__(self, module: nn.Module, call: Callable[..., Any]) -> None:
        super().__init__()
        self.module, self.call = module, call

    def forward(self, *inputs: Any) -> Any:
        return self.call(self.module, *inputs)


def picture(size: int, channels: int = 3) -> tuple[torch.Tensor]:
    """A picture of random numbers."""
    return (torch.randn(1, channels, size, size),)
