"""Random LoRA adapters, and models that compute them with hooks."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor, nn
from transformers import PreTrainedModel

from llm.decoder.adapter import CONFIG_FILE, WEIGHTS_FILE

ATTENTION = ("q_proj", "v_proj")
ALL_LINEAR = (
    *("q_proj", "k_proj", "v_proj", "o_proj", "qkv_proj"),
    *("gate_proj", "up_proj", "gate_up_proj", "down_proj"),
)
"""The linear layers of all families; a model has some of them."""


def save_adapter(
    folder: Path,
    model: PreTrainedModel,
    targets: tuple[str, ...] = ATTENTION,
    rank: int = 4,
    seed: int = 3,
    dtype: torch.dtype = torch.float32,
    **settings: Any,
) -> dict[str, tuple[Tensor, Tensor]]:
    """Save a random adapter of the modules with these names.

    Returns the matrices A [rank, inputs] and B [outputs, rank] in float32, by module.
    """
    generator = torch.Generator().manual_seed(seed)
    matrices: dict[str, tuple[Tensor, Tensor]] = {}
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear) and name.rpartition(".")[2] in targets:
            module_rank = settings.get("rank_pattern", {}).get(name, rank)
            sizes = (module_rank, module.in_features), (module.out_features, module_rank)
            a, b = (torch.randn(size, generator=generator).to(dtype) * 0.15 for size in sizes)
            matrices[name] = a, b
    folder.mkdir(exist_ok=True)
    write_files(folder, {"peft_type": "LORA", "r": rank, "lora_alpha": 8, "bias": "none", **settings}, matrices)
    return {name: (a.float(), b.float()) for name, (a, b) in matrices.items()}


def write_files(folder: Path, settings: Mapping[str, Any], matrices: Mapping[str, tuple[Tensor, Tensor]]) -> None:
    """Write the two files of an adapter."""
    tensors = {
        f"base_model.model.{name}.lora_{letter}.weight": tensor.contiguous()
        for name, pair in matrices.items()
        for letter, tensor in zip("AB", pair, strict=True)
    }
    save_file(tensors, folder / WEIGHTS_FILE, {"format": "pt"})
    (folder / CONFIG_FILE).write_text(json.dumps(settings), encoding="utf-8")


def adapted_model(
    model: PreTrainedModel, matrices: Mapping[str, tuple[Tensor, Tensor]], scales: Mapping[str, float] | float
) -> PreTrainedModel:
    """Return a copy of a model whose layers add scale * (x A^T) B^T to their outputs."""
    adapted = copy.deepcopy(model)
    for name, (a, b) in matrices.items():
        scale = scales if isinstance(scales, float) else scales[name]
        adapted.get_submodule(name).register_forward_hook(
            lambda _, inputs, output, a=a, b=b, scale=scale: output + scale * (inputs[0] @ a.T @ b.T)
        )
    return adapted
