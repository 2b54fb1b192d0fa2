"""Configurations and weights in GGUF files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import Tensor

from exir import WeightsFile
from llm.decoder.config import DecoderConfig, LayerConfig, Norms, Scales, SoftCaps
from llm.decoder.fused_weights import split_fused_weights
from llm.decoder.rotary import Rotary, plain_rotary, scaled_rotary

# Architectures whose query and key weights pair adjacent elements of a head.
_ADJACENT_PAIRS = ("granite", "llama", "smollm3")

FAMILIES = (*_ADJACENT_PAIRS, "gemma2", "gemma3", "olmo2", "phi3", "qwen2", "qwen3")
"""Supported architectures, as files name them. Mistral and SmolLM2 are `llama` as well."""

# Layers of Gemma with a window: all except the last one of each period.
_PERIODS = {"gemma2": 2, "gemma3": 6}
_LOCAL_BASE = 10000.0

# Llama 3 divides the speeds of rotary position embeddings by this tensor.
_DIVISORS = "rope_freqs.weight"
_LONG_DIVISORS, _SHORT_DIVISORS = "rope_factors_long.weight", "rope_factors_short.weight"
_ROTARY_TENSORS = (_DIVISORS, _LONG_DIVISORS, _SHORT_DIVISORS)


class _Metadata:
    """The metadata of a file, by names without the architecture."""

    def __init__(self, weights: WeightsFile) -> None:
        self.family = weights.metadata.get("general.architecture")
        self._values = weights.metadata
        if self.family not in FAMILIES:
            raise ValueError(f"the weights file has architecture '{self.family}'; supported: {', '.join(FAMILIES)}")

    def get(self, name: str, default: Any = None) -> Any:
        return self._values.get(f"{self.family}.{name}", default)

    def required(self, name: str) -> Any:
        value = self.get(name)
        if value is None:
            raise ValueError(f"the weights file does not have '{self.family}.{name}'; download a complete GGUF file")
        return value


def read_config(weights: WeightsFile, context: int) -> DecoderConfig:
    """Return the configuration in a file's metadata.

    context: upper bound of the KV cache, in tokens.

    Raises ValueError for a model that is not supported.
    """
    metadata = _Metadata(weights)
    family = metadata.family
    heads, width = metadata.required("attention.head_count"), metadata.required("embedding_length")
    head = metadata.get("attention.key_length", width // heads)
    length = min(context, metadata.required("context_length"))
    layers = range(metadata.required("block_count"))
    is_gemma = family.startswith("gemma")
    return DecoderConfig(
        vocabulary=weights.tensors["token_embd.weight"].shape[0],
        context=length,
        width=width,
        hidden=metadata.required("feed_forward_length"),
        heads=heads,
        groups=metadata.get("attention.head_count_kv", heads),
        head=head,
        layers=tuple(_layer(metadata, weights.tensors, layer, head, length) for layer in layers),
        norms=Norms(
            before="blk.0.attn_norm.weight" in weights.tensors,
            after="blk.0.post_ffw_norm.weight" in weights.tensors,
            query_key=_query_key_norm(weights.tensors, family),
            epsilon=metadata.required("attention.layer_norm_rms_epsilon"),
        ),
        scales=Scales(
            attention=metadata.get("attention.scale") or _attention_scale(family, layers, width, heads, head),
            embedding=width**0.5 if is_gemma else metadata.get("embedding_scale", 1.0),
            residual=metadata.get("residual_scale", 1.0),
            logits=1 / metadata.get("logit_scale", 1.0),
        ),
        softcaps=SoftCaps(metadata.get("attn_logit_softcapping"), metadata.get("final_logit_softcapping")),
        activation="gelu" if is_gemma else "silu",
        biases=frozenset(_biased_layers(weights.tensors)),
        tied="output.weight" not in weights.tensors,
    )


def _query_key_norm(tensors: Mapping[str, Tensor], family: str) -> str | None:
    if "blk.0.attn_q_norm.weight" not in tensors:
        return None
    return "all" if family == "olmo2" else "head"


def _attention_scale(family: str, layers: range, width: int, heads: int, head: int) -> float:
    """Return the scale; files of Gemma lack the value that its 27B models have."""
    is_27b = (family, len(layers)) in (("gemma2", 46), ("gemma3", 62))
    return ((width // heads) if is_27b else head) ** -0.5


def _biased_layers(tensors: Mapping[str, Tensor]) -> Iterator[str]:
    for name in tensors:
        if name.startswith("blk.0.") and name.endswith(".bias"):
            yield name.removeprefix("blk.0.").removesuffix(".bias")


def _layer(metadata: _Metadata, tensors: Mapping[str, Tensor], layer: int, head: int, context: int) -> LayerConfig:
    period = _PERIODS.get(metadata.family)
    sliding = (layer + 1) % period != 0 if period else metadata.family in ("phi3", "llama")
    has_positions = metadata.family != "smollm3" or (layer + 1) % 4 != 0
    return LayerConfig(
        window=metadata.get("attention.sliding_window") or None if sliding else None,
        rotary=_rotary(metadata, tensors, bool(period) and sliding, head, context) if has_positions else None,
    )


def _rotary(metadata: _Metadata, tensors: Mapping[str, Tensor], local: bool, head: int, context: int) -> Rotary:
    size = metadata.get("rope.dimension_count", head)
    base = metadata.get("rope.freq_base", 10000.0)
    trained = metadata.required("context_length")
    if metadata.family == "gemma3" and local:
        return plain_rotary(size, metadata.get("rope.freq_base_swa", _LOCAL_BASE))
    if _DIVISORS in tensors:
        return plain_rotary(size, base, tensors[_DIVISORS].tolist())
    scaling = {
        "rope_type": metadata.get("rope.scaling.type", "default").replace("none", "default"),
        "factor": metadata.get("rope.scaling.factor"),
        "original_max_position_embeddings": metadata.get("rope.scaling.original_context_length"),
        "attention_factor": metadata.get("rope.scaling.attn_factor"),
        "beta_fast": metadata.get("rope.scaling.yarn_beta_fast"),
        "beta_slow": metadata.get("rope.scaling.yarn_beta_slow"),
    }
    if _LONG_DIVISORS in tensors:
        scaling["rope_type"] = "longrope"
        scaling["long_factor"] = tensors[_LONG_DIVISORS].tolist()
        scaling["short_factor"] = tensors[_SHORT_DIVISORS].tolist()
    return scaled_rotary(size, base, scaling, context, trained)


def map_weights(tensors: Mapping[str, Tensor], config: DecoderConfig, family: str) -> dict[str, Tensor]:
    """Return the tensors of a file by the names of `network.Decoder`.

    Fused weights of Phi are split. The rows of query and key weights are ordered for pairs of the
    elements i and i + pairs.
    """
    split = split_fused_weights({name: tensors[name] for name in tensors if name not in _ROTARY_TENSORS}, config)
    if family not in _ADJACENT_PAIRS:
        return split
    is_paired = {name: ".attn_q." in name or ".attn_k." in name for name in split}
    return {name: _with_distant_pairs(each, config.head) if is_paired[name] else each for name, each in split.items()}


def _with_distant_pairs(tensor: Tensor, head: int) -> Tensor:
    """Return the rows of adjacent pairs, ordered for pairs of i and i + head / 2."""
    rows = torch.arange(tensor.shape[0]).reshape(-1, head // 2, 2)
    return tensor.index_select(0, rows.transpose(1, 2).flatten())
