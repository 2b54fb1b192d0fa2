"""LoRA adapters in the format of the package PEFT.

An adapter is a folder with an `adapter_config.json` and an `adapter_model.safetensors`. It changes the
weight of a linear layer by a matrix of low rank: W + scale * B @ A (Hu et al., 2021).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from exir import BlockWeight
from exir.cli.loading.weights import read_weights
from llm.decoder.from_hugging_face import BLOCK_NAMES

CONFIG_FILE, WEIGHTS_FILE = "adapter_config.json", "adapter_model.safetensors"

_TENSOR_NAME = re.compile(r"base_model\.model\.(?P<module>.+)\.lora_(?P<matrix>[AB])\.weight")
_LAYER = re.compile(r"model\.layers\.(?P<number>\d+)\.(?P<inner>.+)")
_FUSED = {"self_attn.qkv_proj": ("attn_q", "attn_k", "attn_v"), "mlp.gate_up_proj": ("ffn_gate", "ffn_up")}
_DTYPES = (torch.float32, torch.float16, torch.bfloat16)

# Settings that change the computation, with the values that do not. Other values are not supported.
_PLAIN_SETTINGS: Mapping[str, tuple[Any, ...]] = {
    "peft_type": ("LORA",),
    "alora_invocation_tokens": (None,),
    "arrow_config": (None,),
    "bias": (None, "none"),
    "fan_in_fan_out": (None, False),
    "init_lora_weights": (None, True, False, "gaussian", "eva", "orthogonal"),
    "layer_replication": (None, []),
    "lora_bias": (None, False),
    "modules_to_save": (None, []),
    "target_parameters": (None, []),
    "trainable_token_indices": (None, [], {}),
    "use_bdlora": (None, False),
    "use_dora": (None, False),
    "use_qalora": (None, False),
}


@dataclass(frozen=True)
class LowRank:
    """A change of a weight, `b @ a`.

    a: float32 [rank, inputs].
    b: float32 [outputs, rank]; contains the adapter's scale.
    """

    a: Tensor
    b: Tensor


def read_adapter(folder: Path, sizes: Mapping[str, tuple[int, int]]) -> dict[str, LowRank]:
    """Return the changes of an adapter, by the names of layers in `network.Decoder`.

    sizes: the numbers of inputs and outputs of the model's layers, by name.

    Raises ValueError for an adapter that is not supported, or that does not fit the model.
    """
    settings, modules = _read_matrices(folder)
    changes: dict[str, LowRank] = {}
    for module, (a, b) in modules.items():
        try:
            changes |= _layer_changes(_layers_of(module), a, b * settings.scale(module), sizes)
        except ValueError as error:
            raise ValueError(f"{folder / WEIGHTS_FILE}: '{module}' {error}{settings.base_model()}") from error
    return changes


def adapter_ranks(folders: Sequence[Path]) -> dict[str, int]:
    """Return the maximum ranks of several adapters, by layer of `network.Decoder`."""
    ranks: dict[str, int] = {}
    for folder in folders:
        for module, (a, _) in _read_matrices(folder)[1].items():
            ranks |= {layer: max(a.shape[0], ranks.get(layer, 0)) for layer in _layers_of(module)}
    return ranks


def _read_matrices(folder: Path) -> tuple[_Settings, dict[str, tuple[Tensor, Tensor]]]:
    """Return the settings of an adapter, and the matrices A and B of each module.

    The matrices are float32.
    """
    file = read_weights(folder / WEIGHTS_FILE, folder / CONFIG_FILE)
    settings = _Settings(folder / CONFIG_FILE, file.metadata)
    pairs: dict[str, dict[str, Tensor]] = {}
    for name, tensor in file.tensors.items():
        match = _TENSOR_NAME.fullmatch(name)
        if match is None:
            raise ValueError(
                f"{folder / WEIGHTS_FILE}: '{name}' is not a matrix of a linear layer ('….lora_A.weight' or"
                " '….lora_B.weight'); only adapters of linear layers are supported"
            )
        if tensor.dtype not in _DTYPES:
            raise ValueError(f"{folder / WEIGHTS_FILE}: '{name}' is {tensor.dtype}; use float32, float16 or bfloat16")
        pairs.setdefault(match["module"], {})[match["matrix"]] = tensor.float()
    if not pairs:
        raise ValueError(f"{folder / WEIGHTS_FILE}: the file has no tensors; save the adapter again")
    for module, pair in pairs.items():
        try:
            _layers_of(module)
            _check_pair(pair, settings.rank(module))
        except ValueError as error:
            raise ValueError(f"{folder / WEIGHTS_FILE}: '{module}' {error}") from error
    return settings, {module: (pair["A"], pair["B"]) for module, pair in pairs.items()}


class _Settings:
    """The settings of an `adapter_config.json`."""

    def __init__(self, path: Path, values: Mapping[str, Any]) -> None:
        for name, plain in _PLAIN_SETTINGS.items():
            if values.get(name) not in plain:
                raise ValueError(f"{path}: '{name}' is {values.get(name)!r}; supported: {', '.join(map(repr, plain))}")
        self._path = path
        self._values = values

    def rank(self, module: str) -> int:
        rank = self._of_module("rank_pattern", "r", module)
        if type(rank) is not int or rank < 1:
            raise ValueError(f"has rank {rank!r} in {self._path}, which is not a positive integer")
        return rank

    def scale(self, module: str) -> float:
        alpha = self._of_module("alpha_pattern", "lora_alpha", module)
        if type(alpha) not in (int, float) or not math.isfinite(alpha):
            raise ValueError(f"has 'lora_alpha' {alpha!r} in {self._path}, which is not a number")
        rank = self.rank(module)
        return float(alpha / (math.sqrt(rank) if self._values.get("use_rslora") else rank))

    def base_model(self) -> str:
        """Return a note about the model of the adapter."""
        name = self._values.get("base_model_name_or_path")
        return f" (the adapter is for '{name}')" if name else ""

    def _of_module(self, patterns: str, default: str, module: str) -> Any:
        """Return the value of the first pattern that matches, else that of `default`.

        PEFT's patterns are regular expressions. Only names, and the ends of names, are supported.
        """
        values = self._values.get(patterns) or {}
        if not isinstance(values, dict):
            raise ValueError(f"has '{patterns}' {values!r} in {self._path}, which is not a JSON object")
        for pattern, value in values.items():
            name = pattern.removeprefix("^").replace("\\.", ".")
            if not re.fullmatch(r"[\w.]+", name):
                raise ValueError(f"may match '{patterns}' '{pattern}' in {self._path}; use names of modules")
            if module == name or (name == pattern and module.endswith(f".{name}")):
                return value
        return self._values.get(default)


def _layers_of(module: str) -> tuple[str, ...]:
    """Return the layers of a module: one, or several if its weight is fused."""
    match = _LAYER.fullmatch(module)
    if match is None or match["inner"] not in BLOCK_NAMES:
        raise ValueError("is not a linear layer of a block; train adapters for the linear layers of attention and MLP")
    names = _FUSED.get(match["inner"], (BLOCK_NAMES[match["inner"]],))
    return tuple(f"blk.{match['number']}.{name}" for name in names)


def _check_pair(pair: Mapping[str, Tensor], rank: int) -> None:
    if pair.keys() != {"A", "B"}:
        raise ValueError(f"has only the matrix {''.join(pair)}; save the adapter again")
    shapes = [list(pair[letter].shape) for letter in "AB"]
    if any(len(shape) != 2 for shape in shapes) or (shapes[0][0], shapes[1][1]) != (rank, rank):
        raise ValueError(
            f"has matrices of shape {shapes[0]} and {shapes[1]}, but rank {rank} in the configuration; pass the"
            f" {CONFIG_FILE} of the weights"
        )


def _layer_changes(
    layers: tuple[str, ...], a: Tensor, b: Tensor, sizes: Mapping[str, tuple[int, int]]
) -> dict[str, LowRank]:
    """Return the changes of the layers that share `a`.

    Their outputs are consecutive rows of `b`.
    """
    missing = [layer for layer in layers if layer not in sizes]
    if missing:
        raise ValueError(f"changes '{missing[0]}', which the model does not have; use the adapter's base model")
    inputs, outputs = sizes[layers[0]][0], [sizes[layer][1] for layer in layers]
    if (a.shape[1], b.shape[0]) != (inputs, sum(outputs)):
        raise ValueError(
            f"has {a.shape[1]} inputs and {b.shape[0]} outputs, but {' and '.join(layers)} of the model"
            f" {'have' if len(layers) > 1 else 'has'} {inputs} and {sum(outputs)}; use the adapter's base model"
        )
    return {layer: LowRank(a, rows) for layer, rows in zip(layers, b.split(outputs), strict=True)}


def merge_adapter(tensors: Mapping[str, Tensor], changes: Mapping[str, LowRank]) -> dict[str, Tensor]:
    """Return a model's tensors with the weights that an adapter changes.

    Weights become float32, also those with quantized blocks.
    """
    merged = dict(tensors)
    for layer, change in changes.items():
        weight = tensors[f"{layer}.weight"]
        plain = weight.dequantize() if isinstance(weight, BlockWeight) else weight.float()
        merged[f"{layer}.weight"] = plain + change.b @ change.a
    return merged
