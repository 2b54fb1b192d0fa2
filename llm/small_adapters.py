"""Write random LoRA adapters of //models/chat:small_qwen.gguf.

python small_adapters.py LEGAL-CONFIG LEGAL-WEIGHTS SUPPORT-CONFIG SUPPORT-WEIGHTS
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch
from safetensors.torch import save_file

_WIDTH, _KEYS, _HIDDEN, _LAYERS = 64, 32, 96, 2
_SIZES = {
    "self_attn.q_proj": (_WIDTH, _WIDTH),
    "self_attn.k_proj": (_WIDTH, _KEYS),
    "self_attn.v_proj": (_WIDTH, _KEYS),
    "self_attn.o_proj": (_WIDTH, _WIDTH),
    "mlp.gate_proj": (_WIDTH, _HIDDEN),
    "mlp.up_proj": (_WIDTH, _HIDDEN),
    "mlp.down_proj": (_HIDDEN, _WIDTH),
}


def write(config: Path, weights: Path, targets: list[str], rank: int, seed: int) -> None:
    """Write an adapter of the layers `targets`."""
    generator = torch.Generator().manual_seed(seed)
    tensors = {}
    for layer in range(_LAYERS):
        for target in targets:
            inputs, outputs = _SIZES[target]
            name = f"base_model.model.model.layers.{layer}.{target}.lora_{{}}.weight"
            tensors[name.format("A")] = torch.randn(rank, inputs, generator=generator) * 0.2
            tensors[name.format("B")] = torch.randn(outputs, rank, generator=generator) * 0.2
    save_file(tensors, weights, {"format": "pt"})
    settings = {
        "base_model_name_or_path": "small_qwen",
        "bias": "none",
        "lora_alpha": 8,
        "peft_type": "LORA",
        "r": rank,
        "target_modules": [target.rpartition(".")[2] for target in targets],
    }
    config.write_text(json.dumps(settings, indent=1), encoding="utf-8")


def main() -> int:
    legal_config, legal_weights, support_config, support_weights = map(Path, sys.argv[1:])
    write(legal_config, legal_weights, list(_SIZES), 8, 2)
    write(support_config, support_weights, ["self_attn.q_proj", "self_attn.v_proj"], 4, 1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
