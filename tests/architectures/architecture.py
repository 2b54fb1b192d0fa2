"""An architecture to test: a model with random weights, and its package."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.utils import _pytree as pytree


@dataclass(frozen=True)
class Subject:
    """A model and the inputs of its calls.

    The first call is the example for the export; later calls can have other sizes.
    """

    module: nn.Module
    calls: tuple[tuple[Any, ...], ...]
    dynamic_shapes: Any = None
    strict: bool = False


@dataclass(frozen=True)
class Architecture:
    """The name of a model in its package, and the function that creates it."""

    package: str
    name: str
    make: Callable[[], Subject]

    def __str__(self) -> str:
        return f"{self.package}/{self.name}"


class KeywordModel(nn.Module):
    """Calls a model with keyword arguments, and returns the tensors that `keep` names.

    By default, it returns the first tensor.
    """

    def __init__(self, module: nn.Module, keywords: Iterable[str], keep: Iterable[str] = ()) -> None:
        super().__init__()
        self.module, self.keywords, self.keep = module, tuple(keywords), tuple(keep)

    def forward(self, *inputs: Any) -> Any:
        outputs = self.module(**dict(zip(self.keywords, inputs, strict=True)))
        if self.keep:
            return tuple(getattr(outputs, name) for name in self.keep)
        return next(leaf for leaf in pytree.tree_leaves(outputs) if isinstance(leaf, torch.Tensor))


class PartialModel(nn.Module):
    """Wraps a function of a model, to compile only a part of the model."""

    def __init__(self, module: nn.Module, call: Callable[..., Any]) -> None:
        super().__init__()
        self.module, self.call = module, call

    def forward(self, *inputs: Any) -> Any:
        return self.call(self.module, *inputs)


def random_image(size: int, channels: int = 3) -> tuple[torch.Tensor]:
    """Return a random image."""
    return (torch.randn(1, channels, size, size),)
