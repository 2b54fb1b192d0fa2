"""Run the published network, which was written for tinygrad, on torch.

Tests compare this project's implementation with it.
"""

from __future__ import annotations

import importlib.util
import sys
import types
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch


class Tensor:
    """A wrapper of torch tensors with the tinygrad methods that the network uses."""

    def __init__(self, value: torch.Tensor) -> None:
        self.value = value

    def __getattr__(self, name: str) -> Callable[..., Tensor]:
        """Call the torch method with the same name."""
        return lambda *args, **kwargs: Tensor(getattr(self.value, name)(*args, **kwargs))

    def __getitem__(self, index: Any) -> Tensor:
        return Tensor(self.value[index])

    def __pow__(self, exponent: int) -> Tensor:
        return Tensor(self.value**exponent)

    def __add__(self, other: Tensor) -> Tensor:
        return Tensor(self.value + other.value)

    def pad(self, padding: tuple[int, int], mode: str) -> Tensor:
        return Tensor(torch.nn.functional.pad(self.value.unsqueeze(1), padding, mode).squeeze(1))

    def stack(self, other: Tensor, dim: int) -> Tensor:
        return Tensor(torch.stack([self.value, other.value], dim))


def _convolution(*args: Any, **kwargs: Any) -> Callable[[Tensor], Tensor]:
    return _Layer(torch.nn.Conv1d(*args, **kwargs))


class _Layer:
    """A torch layer on wrapped tensors."""

    def __init__(self, layer: torch.nn.Module) -> None:
        self.layer = layer

    def __call__(self, x: Tensor, state: tuple[Tensor, Tensor] | None = None) -> Any:
        if state is None and not isinstance(self.layer, torch.nn.LSTMCell):
            return Tensor(self.layer(x.value))
        return tuple(map(Tensor, self.layer(x.value, state and tuple(tensor.value for tensor in state))))


def load(path: Path, weights: Mapping[str, torch.Tensor]) -> Callable[..., tuple[Tensor, Tensor]]:
    """Return the file's `TinySileroVAD` with its weights.

    It maps a chunk with context, and the state, to the probability and the new state.
    """
    layers = types.SimpleNamespace(Conv1d=_convolution, LSTMCell=lambda *sizes: _Layer(torch.nn.LSTMCell(*sizes)))
    stand_in = types.ModuleType("tinygrad")
    vars(stand_in)["nn"] = layers
    sys.modules["tinygrad"] = stand_in
    spec = importlib.util.spec_from_file_location("tinygrad_model", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    network = module.TinySileroVAD()
    for name, tensor in weights.items():
        layer, parameter = name.split(".")
        getattr(getattr(network, layer).layer, parameter).data.copy_(tensor)
    return network
