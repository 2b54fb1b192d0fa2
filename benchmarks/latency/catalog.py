"""Catalog of the benchmark's models."""

from __future__ import annotations

import functools
import importlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from benchmarks.latency.models import blocks
from exir.cli.worker.environment import SEED

Inputs = tuple[torch.Tensor, ...]

STREAM = "stream"  # the kind of stateful models


@dataclass(frozen=True)
class Model:
    """A model with the weights that the build compiles: published or seeded."""

    name: str
    file: str  # source of the model; its function with the model's name returns module and inputs
    kind: str  # "image", "text", "decoder" or STREAM
    program: str = ""  # name of the compiled program, if another model shares it
    weights_variable: str = ""  # environment variable with the path of a file

    @functools.cached_property
    def _example(self) -> tuple[nn.Module, Inputs]:
        torch.manual_seed(SEED)
        entry_point: Callable[[], tuple[nn.Module, Inputs]] = getattr(importlib.import_module(self.file), self.name)
        module, inputs = entry_point()
        if self.weights_variable:
            module.load_state_dict(_weights(self._weights_file))
        return module, inputs

    @property
    def _weights_file(self) -> Path:
        return Path(os.environ[self.weights_variable])

    @property
    def module(self) -> nn.Module:
        return self._example[0]

    @property
    def inputs(self) -> Inputs:
        return self._example[1]

    @property
    def sources(self) -> tuple[str, ...]:
        """Source files that define the model."""
        own = importlib.import_module(self.file).__file__
        written = importlib.import_module(type(self.module).__module__).__file__
        published = str(self._weights_file) if self.weights_variable else None
        return tuple(source for source in (own, written, blocks.__file__, published) if source)

    @functools.cached_property
    def operations(self) -> int:
        """Floating-point operations of the model; a multiply-add counts as two."""
        with torch.no_grad(), FlopCounterMode(display=False) as counter:
            self.module(*self.inputs)
        return counter.get_total_flops()

    @functools.cached_property
    def weights(self) -> int:
        """Number of weight elements that a run reads in full."""
        return sum(
            module.weight.numel() for module in self.module.modules() if isinstance(module, (nn.Linear, nn.Conv2d))
        )


def _weights(path: Path) -> dict[str, torch.Tensor]:
    return load_file(path) if path.suffix == ".safetensors" else torch.load(path, weights_only=True)


_OWN = "benchmarks.latency.models."
_PUBLISHED = _OWN + "published"
_ALL = (
    Model("mobilenet_v2", "models.mobilenet", "image"),
    Model("mobilenet_v3_small", _OWN + "mobilenet_v3_small", "image"),
    Model("resnet18", _OWN + "resnet", "image"),
    Model("resnet50", _OWN + "resnet", "image"),
    Model("minilm", _OWN + "encoder", "text"),
    Model("bert_base", _OWN + "encoder", "text"),
    Model("decoder", _OWN + "decoder", "decoder"),
    Model("decoder_4bit", _OWN + "decoder", "decoder"),
    Model("classify", _PUBLISHED, "image", weights_variable="CLASSIFY_WEIGHTS"),
    *(Model(f"search_{length}", _PUBLISHED, "text", "search", "SEARCH_WEIGHTS") for length in (8, 32, 128, 256)),
    Model("listen_100", _PUBLISHED, STREAM, "listen", "LISTEN_WEIGHTS"),
)
MODELS = {model.name: model for model in _ALL}

# Only for the official runtime; this project does not compile these variants.
_LLAMAS = (Model(name, "benchmarks.lowering_decoder", "decoder") for name in ("llama_1", "llama_32"))
LOWERED_ONLY = {model.name: model for model in _LLAMAS}
