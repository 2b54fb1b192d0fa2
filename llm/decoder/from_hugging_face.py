"""Configurations and weights in `config.json` and safetensors files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from llm.decoder.config import DecoderConfig, LayerConfig, Norms, Scales, SoftCaps
from llm.decoder.fused_weights import split_fused_weights
from llm.decoder.rotary import Rotary, scaled_rotary

_PRE_NORM = {
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
}
_SANDWICH = {
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "post_attention_norm",
    "pre_feedforward_layernorm": "ffn_norm",
    "post_feedforward_layernorm": "post_ffw_norm",
}
_POST_NORM = {
    "post_attention_layernorm": "post_attention_norm",
    "post_feedforward_layernorm": "post_ffw_norm",
}

BLOCK_NAMES = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
    "self_attn.qkv_proj": "attn_qkv",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.gate_up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}
"""Names of a block's modules, and their names in `network.Block`. Fused layers: see `fused_weights`."""

_MODEL_NAMES = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}
_ATTENTION_LAYERS = ("attn_q", "attn_k", "attn_v", "attn_output")
_FEED_FORWARD_LAYERS = ("ffn_gate", "ffn_up", "ffn_down")
_ACTIVATIONS = {"silu": "silu", "gelu_pytorch_tanh": "gelu", "gelu_new": "gelu"}

FAMILIES = {
    "gemma2": _SANDWICH,
    "gemma3_text": _SANDWICH,
    "granite": _PRE_NORM,
    "llama": _PRE_NORM,
    "mistral": _PRE_NORM,
    "olmo2": _POST_NORM,
    "phi3": _PRE_NORM,
    "qwen2": _PRE_NORM,
    "qwen3": _PRE_NORM,
    "smollm3": _PRE_NORM,
}
"""The values of `model_type`, with the names of the norms."""

_NORMS_OF_QUERIES = {"gemma3_text": "head", "olmo2": "all", "qwen3": "head"}


def read_config(settings: Mapping[str, Any], context: int, tensors: Mapping[str, Tensor]) -> DecoderConfig:
    """Return the configuration of a `config.json`.

    context: upper bound of the KV cache, in tokens.
    tensors: of the safetensors file.

    Raises ValueError for a model that is not supported.
    """
    family = settings.get("model_type")
    if family not in FAMILIES:
        raise ValueError(f"'model_type' is '{family}'; supported: {', '.join(FAMILIES)}")
    activation = settings.get("hidden_activation") or settings.get("hidden_act", "silu")
    if activation not in _ACTIVATIONS:
        raise ValueError(f"the activation is '{activation}'; supported: {', '.join(_ACTIVATIONS)}")
    norms = FAMILIES[family]
    head = _head_size(settings)
    length = min(context, _setting(settings, "max_position_embeddings"))
    return DecoderConfig(
        vocabulary=_setting(settings, "vocab_size"),
        context=length,
        width=_setting(settings, "hidden_size"),
        hidden=_setting(settings, "intermediate_size"),
        heads=_setting(settings, "num_attention_heads"),
        groups=settings.get("num_key_value_heads") or _setting(settings, "num_attention_heads"),
        head=head,
        layers=_layers(settings, family, length),
        norms=Norms(
            before="attn_norm" in norms.values(),
            after="post_ffw_norm" in norms.values(),
            query_key=_NORMS_OF_QUERIES.get(family),
            epsilon=_setting(settings, "rms_norm_eps"),
        ),
        scales=_scales(settings, family, head),
        softcaps=SoftCaps(settings.get("attn_logit_softcapping"), settings.get("final_logit_softcapping")),
        activation=_ACTIVATIONS[activation],
        biases=_biases(settings, family),
        tied=settings.get("tie_word_embeddings", "lm_head.weight" not in tensors),
    )


def _setting(settings: Mapping[str, Any], name: str) -> Any:
    if settings.get(name) is None:
        raise ValueError(f"the configuration does not have '{name}'; pass the model's 'config.json'")
    return settings[name]


def _head_size(settings: Mapping[str, Any]) -> int:
    computed = _setting(settings, "hidden_size") // _setting(settings, "num_attention_heads")
    return settings.get("head_dim") or computed


def _scales(settings: Mapping[str, Any], family: str, head: int) -> Scales:
    if family == "granite":
        return Scales(
            attention=settings.get("attention_multiplier", 1.0),
            embedding=settings.get("embedding_multiplier", 1.0),
            residual=settings.get("residual_multiplier", 1.0),
            logits=1 / settings.get("logits_scaling", 1.0),
        )
    if family.startswith("gemma"):
        width = _setting(settings, "hidden_size")
        return Scales(attention=settings.get("query_pre_attn_scalar", 256) ** -0.5, embedding=width**0.5)
    return Scales(attention=head**-0.5)


def _biases(settings: Mapping[str, Any], family: str) -> frozenset[str]:
    if family == "qwen2":
        return frozenset(("attn_q", "attn_k", "attn_v"))
    attention = _ATTENTION_LAYERS if settings.get("attention_bias") else ()
    return frozenset((*attention, *(_FEED_FORWARD_LAYERS if settings.get("mlp_bias") else ())))


def _layers(settings: Mapping[str, Any], family: str, context: int) -> tuple[LayerConfig, ...]:
    count = _setting(settings, "num_hidden_layers")
    return tuple(
        LayerConfig(
            window=settings.get("sliding_window") if _is_sliding(settings, family, i) else None,
            rotary=_rotary(settings, family, _is_sliding(settings, family, i), context)
            if _has_positions(settings, family, i)
            else None,
        )
        for i in range(count)
    )


def _is_sliding(settings: Mapping[str, Any], family: str, layer: int) -> bool:
    """Return whether the attention of a layer has a window."""
    kinds = settings.get("layer_types")
    if family in ("mistral", "phi3"):
        return settings.get("sliding_window") is not None
    if kinds is not None and (family.startswith("gemma") or settings.get("use_sliding_window")):
        return kinds[layer] == "sliding_attention"
    if family == "gemma2":
        return layer % 2 == 0
    if family == "gemma3_text":
        return (layer + 1) % settings.get("sliding_window_pattern", 6) != 0
    if family in ("qwen2", "qwen3"):
        return bool(settings.get("use_sliding_window")) and layer >= settings.get("max_window_layers", 28)
    return bool(settings.get("use_sliding_window")) and not _has_positions(settings, family, layer)


def _has_positions(settings: Mapping[str, Any], family: str, layer: int) -> bool:
    """Return false for a layer without position embeddings.

    By default, it is every fourth layer of SmolLM3.
    """
    if family != "smollm3":
        return True
    used = settings.get("no_rope_layers")
    return bool(used[layer]) if used else (layer + 1) % settings.get("no_rope_layer_interval", 4) != 0


def _rotary(settings: Mapping[str, Any], family: str, sliding: bool, context: int) -> Rotary:
    scaling = dict(settings.get("rope_parameters") or settings.get("rope_scaling") or {})
    base = settings.get("rope_theta", 10000.0)
    if family == "gemma3_text":
        base = settings.get("rope_theta", 1000000.0)
        if "full_attention" in scaling:
            scaling = dict(scaling["sliding_attention" if sliding else "full_attention"])
        elif sliding:
            scaling, base = {}, settings.get("rope_local_base_freq", 10000.0)
    size = int(_head_size(settings) * scaling.get("partial_rotary_factor", settings.get("partial_rotary_factor", 1.0)))
    trained = _setting(settings, "max_position_embeddings")
    scaling.setdefault("original_max_position_embeddings", settings.get("original_max_position_embeddings"))
    return scaled_rotary(size, scaling.get("rope_theta", base), scaling, context, trained)


def map_weights(tensors: Mapping[str, Tensor], config: DecoderConfig, family: str) -> dict[str, Tensor]:
    """Return the tensors of a safetensors file by the names of `network.Decoder`.

    Fused weights of Phi are split. The RMS norms of Gemma multiply by 1 plus the weight.
    """
    mapped: dict[str, Tensor] = {}
    for name, tensor in tensors.items():
        place, _, kind = _mapped_name(name, family).rpartition(".")
        if place == "output" and config.tied:
            continue
        if family.startswith("gemma") and place.endswith("norm"):
            tensor = tensor.float() + 1
        mapped[f"{place}.{kind}"] = tensor
    return split_fused_weights(mapped, config)


def _mapped_name(name: str, family: str) -> str:
    place, _, kind = name.rpartition(".")
    if place in _MODEL_NAMES:
        return f"{_MODEL_NAMES[place]}.{kind}"
    if place.startswith("model.layers."):
        number, _, inner = place.removeprefix("model.layers.").partition(".")
        known = {**BLOCK_NAMES, **FAMILIES[family]}
        return f"blk.{number}.{known.get(inner, inner)}.{kind}"
    return name
