"""The models that are measured."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from benchmarks.latency.models import blocks
from exir.cli.worker.environment import SEED

Inputs = tuple[torch.Tensor, ...]


@dataclass(frozen=True)
class Model:
    """A model and its weights, which are those that the build compiles: made from the same seed."""

    name: str
    file: str  # of the module whose function of the model's name gives module and inputs
    kind: str  # "picture", "text" or "decoder"

    @functools.cached_property
    def _example(self) -> tuple[nn.Module, Inputs]:
        torch.manual_seed(SEED)
        entry_point: Callable[[], tuple[nn.Module, Inputs]] = getattr(importlib.import_module(self.file), self.name)
        return entry_point()

    @property
    def module(self) -> nn.Module:
        return self._example[0]

    @property
    def inputs(self) -> Inputs:
        return self._example[1]

    @property
    def sources(self) -> tuple[str, ...]:
        """Files that say what the model is."""
        own = importlib.import_module(self.file).__file__
        return tuple(source for source in (own, blocks.__file__) if source)

    @functools.cached_property
    def operations(self) -> int:
        """Floating-point operations of products and convolutions, an addition and a multiplication counted as two."""
        with torch.no_grad(), FlopCounterMode(display=False) as counter:
            self.module(*self.inputs)
        return counter.get_total_flops()

    @functools.cached_property
    def weights(self) -> int:
        """Elements of the matrices that a run reads whole."""
        return sum(each.weight.numel() for each in self.module.modules() if isinstance(each, (nn.Linear, nn.Conv2d)))


_OWN = "benchmarks.latency.models."
_ALL = (
    Model("mobilenet_v2", "models.mobilenet", "picture"),
    Model("mobilenet_v3_small", _OWN + "mobilenet_v3_small", "picture"),
    Model("efficientnet_lite0", _OWN + "efficientnet_lite0", "picture"),
    Model("resnet18", _OWN + "resnet", "picture"),
    Model("resnet50", _OWN + "resnet", "picture"),
    Model("minilm", _OWN + "encoder", "text"),
    Model("bert_base", _OWN + "encoder", "text"),
    Model("decoder", _OWN + "decoder", "decoder"),
    Model("decoder_4bit", _OWN + "decoder", "decoder"),
)
MODELS = {model.name: model for model in _ALL}
