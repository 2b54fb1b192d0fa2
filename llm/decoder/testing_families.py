"""Small random models of each family, in the formats of Hugging Face and GGUF."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import gguf
import torch
from gguf import GGUFWriter
from torch import Tensor
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedModel

from exir import ModelSpec
from exir.cli.loading.weights import load_weights, read_weights
from llm.decoder.decoder import language_model

PROMPT_TOKENS = 70

_VOCABULARY, _CONTEXT = 300, 200
_SIZES = {
    "hidden_size": 64,
    "intermediate_size": 96,
    "max_position_embeddings": 256,
    "num_attention_heads": 4,
    "num_hidden_layers": 4,
    "num_key_value_heads": 2,
    "vocab_size": _VOCABULARY,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
_LLAMA3 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}
_YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64}
_LONG = {"type": "longrope", "short_factor": [1.0] * 6, "long_factor": [1.0, 1.5, 2.0, 3.0, 4.0, 8.0]}

FAMILIES: dict[str, dict[str, Any]] = {
    "gemma2": {"head_dim": 24, "query_pre_attn_scalar": 24, "sliding_window": 12},
    "gemma3_text": {"head_dim": 24, "query_pre_attn_scalar": 24, "sliding_window": 12, "num_hidden_layers": 7},
    "granite": {
        "attention_multiplier": 0.1,
        "embedding_multiplier": 12.0,
        "logits_scaling": 8.0,
        "residual_multiplier": 0.22,
    },
    "llama": {"rope_scaling": _LLAMA3, "rope_theta": 500000.0},
    "llama with biases": {"attention_bias": True, "mlp_bias": True, "num_key_value_heads": 1},
    "llama with linear scaling": {"rope_scaling": {"rope_type": "linear", "factor": 4.0}},
    "mistral": {"sliding_window": 12},
    "olmo2": {},
    "phi3": {"sliding_window": 12},
    "phi3 with LongRoPE": {
        "original_max_position_embeddings": 64,
        "partial_rotary_factor": 0.75,
        "rope_scaling": _LONG,
    },
    "qwen2": {},
    "qwen2 with windows": {"max_window_layers": 2, "sliding_window": 12, "use_sliding_window": True},
    "qwen3": {"head_dim": 24, "rope_scaling": _YARN},
    "smollm3": {"tie_word_embeddings": True},
}
"""Settings that differ from the sizes above. The first word is the `model_type`."""

WINDOW_FAMILIES = tuple(name for name, settings in FAMILIES.items() if "sliding_window" in settings)
"""Families with a window of 12 tokens in some or all layers."""


def prompt() -> Tensor:
    """Return random tokens: int64 [1, PROMPT_TOKENS]."""
    return torch.randint(3, _VOCABULARY, (1, PROMPT_TOKENS), generator=torch.Generator().manual_seed(5))


def from_safetensors(
    name: str,
    folder: Path,
    kv_cache: str = "float32",
    merged_adapter: Path | None = None,
    adapter_ranks: Path | None = None,
    chunk: int = 128,
) -> ModelSpec:
    """Save a random model as safetensors in `folder`, and load it."""
    random_model(name).save_pretrained(folder)
    weights, metadata = folder / "model.safetensors", folder / "config.json"
    return load_spec(weights, metadata, kv_cache, merged_adapter, adapter_ranks, chunk)


def load_spec(
    weights: Path,
    metadata: Path | None = None,
    kv_cache: str = "float32",
    merged_adapter: Path | None = None,
    adapter_ranks: Path | None = None,
    chunk: int = 128,
) -> ModelSpec:
    """Return the model of a weights file, with its weights."""
    file = read_weights(weights, metadata)
    spec = language_model(
        file,
        _CONTEXT,
        chunk,
        kv_cache=kv_cache,
        merged_adapter=str(merged_adapter or ""),
        adapter_ranks=str(adapter_ranks or ""),
    )
    load_weights(spec.module, spec.map_weights(file.tensors), weights)
    return spec


@cache
def random_model(name: str) -> PreTrainedModel:
    """Return a model of transformers with random weights."""
    torch.manual_seed(1)
    config = AutoConfig.for_model(name.partition(" ")[0], **{**_SIZES, **FAMILIES[name]})
    model = AutoModelForCausalLM.from_config(config, attn_implementation="eager").eval()
    with torch.no_grad():
        for parameter_name, parameter in model.named_parameters():
            if "norm" in parameter_name:
                parameter.uniform_(0.5, 1.5)
            else:
                parameter.normal_(0, 0.15)
    return model


# ---- GGUF ----

_ARCHITECTURES = {
    "gemma2": ("gemma2", gguf.MODEL_ARCH.GEMMA2),
    "gemma3_text": ("gemma3", gguf.MODEL_ARCH.GEMMA3),
    "granite": ("granite", gguf.MODEL_ARCH.GRANITE),
    "llama": ("llama", gguf.MODEL_ARCH.LLAMA),
    "mistral": ("llama", gguf.MODEL_ARCH.LLAMA),
    "olmo2": ("olmo2", gguf.MODEL_ARCH.OLMO2),
    "phi3": ("phi3", gguf.MODEL_ARCH.PHI3),
    "phi3 with LongRoPE": ("phi3", gguf.MODEL_ARCH.PHI3),
    "qwen2": ("qwen2", gguf.MODEL_ARCH.QWEN2),
    "qwen3": ("qwen3", gguf.MODEL_ARCH.QWEN3),
    "smollm3": ("smollm3", gguf.MODEL_ARCH.SMOLLM3),
}
_INTERLEAVED = ("granite", "llama", "smollm3")

# The format has no windows of Qwen 2.
GGUF_FAMILIES = tuple(_ARCHITECTURES)


def write_gguf(path: Path, name: str, model: PreTrainedModel) -> None:
    """Write a model as a GGUF file, with names and metadata of the package `gguf`."""
    architecture, kind = _ARCHITECTURES[name]
    settings = model.config.to_dict()
    writer = GGUFWriter(path, architecture)
    _add_sizes(writer, settings)
    _add_extras(writer, name, settings)
    names = gguf.get_tensor_name_map(kind, settings["num_hidden_layers"])
    for tensor_name, tensor in model.state_dict().items():
        if tensor_name == "lm_head.weight" and settings["tie_word_embeddings"]:
            continue
        mapped = names.get_name(tensor_name, try_suffixes=(".weight", ".bias"))
        assert mapped is not None, tensor_name
        writer.add_tensor(mapped, _stored(tensor, tensor_name, architecture, settings).numpy())
    for step in (writer.write_header_to_file, writer.write_kv_data_to_file, writer.write_tensors_to_file, writer.close):
        step()


def _stored(tensor: Tensor, name: str, architecture: str, settings: Mapping[str, Any]) -> Tensor:
    """Return a tensor as converters store it."""
    if architecture.startswith("gemma") and "norm" in name:
        return tensor + 1
    heads = {"q_proj": "num_attention_heads", "k_proj": "num_key_value_heads"}
    layer = name.split(".")[-2]
    if architecture in _INTERLEAVED and layer in heads:
        rows = tensor.unflatten(0, (settings[heads[layer]], 2, -1))
        return rows.transpose(1, 2).flatten(0, 2).contiguous()
    return tensor.contiguous()


def _add_sizes(writer: GGUFWriter, settings: Mapping[str, Any]) -> None:
    heads = settings["num_attention_heads"]
    head = settings.get("head_dim") or settings["hidden_size"] // heads
    writer.add_block_count(settings["num_hidden_layers"])
    writer.add_context_length(settings["max_position_embeddings"])
    writer.add_embedding_length(settings["hidden_size"])
    writer.add_feed_forward_length(settings["intermediate_size"])
    writer.add_head_count(heads)
    writer.add_head_count_kv(settings["num_key_value_heads"])
    writer.add_key_length(head)
    writer.add_value_length(head)
    writer.add_layer_norm_rms_eps(settings["rms_norm_eps"])
    writer.add_rope_dimension_count(int(head * (settings.get("partial_rotary_factor") or 1.0)))
    if settings.get("sliding_window"):
        writer.add_sliding_window(settings["sliding_window"])


def _add_extras(writer: GGUFWriter, name: str, settings: Mapping[str, Any]) -> None:
    rope = settings["rope_parameters"]
    rope = rope.get("full_attention", rope)
    writer.add_rope_freq_base(rope["rope_theta"])
    if rope["rope_type"] == "yarn":
        writer.add_rope_scaling_type(gguf.RopeScalingType.YARN)
        writer.add_rope_scaling_factor(rope["factor"])
        writer.add_rope_scaling_orig_ctx_len(rope["original_max_position_embeddings"])
    if rope["rope_type"] == "longrope":
        writer.add_rope_scaling_orig_ctx_len(rope["original_max_position_embeddings"])
        for kind in ("long", "short"):
            writer.add_tensor(f"rope_factors_{kind}.weight", torch.tensor(rope[f"{kind}_factor"]).numpy())
    if rope["rope_type"] == "llama3":
        writer.add_tensor("rope_freqs.weight", _llama3_divisors(settings).numpy())
    if name == "granite":
        writer.add_attention_scale(settings["attention_multiplier"])
        writer.add_embedding_scale(settings["embedding_multiplier"])
        writer.add_residual_scale(settings["residual_multiplier"])
        writer.add_logit_scale(settings["logits_scaling"])
    if name == "gemma2":
        writer.add_attn_logit_softcapping(settings["attn_logit_softcapping"])
        writer.add_final_logit_softcapping(settings["final_logit_softcapping"])


def _llama3_divisors(settings: Mapping[str, Any]) -> Tensor:
    """Return the speeds without scaling, divided by those with scaling."""
    from transformers.models.llama.modeling_llama import LlamaConfig, LlamaRotaryEmbedding

    scaled = LlamaRotaryEmbedding(LlamaConfig(**settings)).inv_freq
    plain = {**settings, "rope_parameters": {"rope_type": "default", "rope_theta": 500000.0}}
    return LlamaRotaryEmbedding(LlamaConfig(**plain)).inv_freq / scaled
