"""Tests of the configurations that files describe, and of refusals."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from exir import WeightsFile
from llm.decoder.config import DecoderConfig
from llm.decoder.decoder import language_model
from llm.decoder.kv_cache import KvCache
from llm.decoder.rotary import plain_rotary, rotate, rotation_tables

_SETTINGS = {
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 96,
    "max_position_embeddings": 256,
    "num_attention_heads": 4,
    "num_hidden_layers": 8,
    "rms_norm_eps": 1e-6,
    "vocab_size": 300,
}


def _config(tensors: tuple[str, ...] = (), **settings: Any) -> DecoderConfig:
    file = WeightsFile({name: torch.zeros(1) for name in tensors}, {**_SETTINGS, **settings})
    return language_model(file).module.config


def _windows(config: DecoderConfig) -> list[int | None]:
    return [layer.window for layer in config.layers]


def test_cache_is_limited_by_the_models_context_length() -> None:
    assert _config().context == 256
    file = WeightsFile({}, _SETTINGS)
    assert language_model(file, context=100).module.config.context == 100


def test_output_layer_is_tied_if_the_file_has_none() -> None:
    assert _config().tied
    assert not _config(("lm_head.weight",)).tied
    assert _config(("lm_head.weight",), tie_word_embeddings=True).tied


def test_windows_of_gemma_follow_a_period_or_the_list_of_layers() -> None:
    assert _windows(_config(model_type="gemma2", sliding_window=9)) == [9, None] * 4
    third = _config(model_type="gemma3_text", sliding_window=9, sliding_window_pattern=3)
    assert _windows(third) == [9, 9, None] * 2 + [9, 9]
    listed = _config(
        model_type="gemma3_text",
        sliding_window=9,
        layer_types=["full_attention"] * 7 + ["sliding_attention"],
    )
    assert _windows(listed) == [None] * 7 + [9]


def _cache_bytes(settings: dict[str, Any], kv_cache: str, context: int = 2048) -> int:
    spec = language_model(WeightsFile({}, settings), context, kv_cache=kv_cache)
    caches = [module for module in spec.module.modules() if isinstance(module, KvCache)]
    return sum(buffer.nbytes for cache in caches for buffer in cache.buffers())


# Gemma 3 270M: 15 of 18 layers have a window, and cache 512 + 128 tokens.
@pytest.mark.parametrize(("kv_cache", "row_bytes"), [("float32", 4 * 256), ("float16", 2 * 256), ("int8", 256 + 4)])
def test_layers_with_a_window_cache_a_window_and_a_chunk(kv_cache: str, row_bytes: int) -> None:
    settings = {
        **_SETTINGS,
        "model_type": "gemma3_text",
        "head_dim": 256,
        "max_position_embeddings": 32768,
        "num_hidden_layers": 18,
        "num_key_value_heads": 1,
        "sliding_window": 512,
    }
    assert _cache_bytes(settings, kv_cache) == 2 * (15 * 640 + 3 * 2048) * row_bytes
    assert _cache_bytes(settings, kv_cache, context=600) == 2 * 18 * 600 * row_bytes


def test_rings_are_constant_methods() -> None:
    settings = {**_SETTINGS, "model_type": "mistral", "sliding_window": 20}
    spec = language_model(WeightsFile({}, settings), chunk=16)
    assert spec.constant_methods == {"get_max_context_len": 256, "get_min_ring_len": 36, "get_max_rewind_len": 17}
    assert language_model(WeightsFile({}, settings), chunk=240).constant_methods == {"get_max_context_len": 256}


def test_local_layers_of_gemma_3_have_their_own_speeds() -> None:
    config = _config(model_type="gemma3_text", rope_scaling={"rope_type": "linear", "factor": 8.0})
    local, full = (config.layers[i].rotary for i in (0, 5))
    assert local == plain_rotary(16, 10000.0)
    assert full == plain_rotary(16, 1000000.0, [8.0] * 8)


def test_every_fourth_layer_of_smollm3_has_no_positions() -> None:
    layers = _config(model_type="smollm3").layers
    assert [layer.rotary is None for layer in layers] == [False, False, False, True] * 2


def test_rotation_keeps_lengths_and_the_rest_of_a_head() -> None:
    x = torch.randn(1, 2, 5, 12)
    rotated = rotate(x, *rotation_tables(plain_rotary(8, 10000.0), 5))
    torch.testing.assert_close(rotated[..., 8:], x[..., 8:], rtol=0, atol=0)
    torch.testing.assert_close(rotated.norm(dim=-1), x.norm(dim=-1))
    torch.testing.assert_close(rotated[:, :, 0], x[:, :, 0])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"model_type": "mamba"}, "'model_type' is 'mamba'; supported: gemma2"),
        ({"hidden_act": "relu"}, "the activation is 'relu'; supported: silu"),
        ({"rope_scaling": {"type": "dynamic"}}, "'rope_type' is 'dynamic'; supported: default, linear, llama3"),
        ({"model_type": "mistral", "sliding_window": -1}, "the sliding window is less than 1 token; correct"),
        ({"vocab_size": None}, "does not have 'vocab_size'; pass the model's 'config.json'"),
    ],
)
def test_unsupported_model_is_refused_by_name(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        _config(**settings)


def test_fused_weights_of_other_sizes_are_refused() -> None:
    tensors = {"model.layers.0.self_attn.qkv_proj.weight": torch.zeros(100, 64)}
    spec = language_model(WeightsFile(tensors, {**_SETTINGS, "model_type": "phi3"}))
    with pytest.raises(ValueError, match="a fused weight has 100 rows, but attn_q and attn_k and attn_v have 192"):
        spec.map_weights(tensors)


def test_file_without_a_description_is_refused() -> None:
    with pytest.raises(ValueError, match="pass a GGUF file, or set 'model_config'"):
        language_model(WeightsFile({}, {}))


def test_unknown_dtype_of_the_cache_is_refused() -> None:
    with pytest.raises(ValueError, match="'kv_cache' is 'int4'; supported: float32, float16, int8"):
        language_model(WeightsFile({}, _SETTINGS), kv_cache="int4")


def test_too_short_context_is_refused() -> None:
    with pytest.raises(ValueError, match="'context' is 1 and 'chunk' is 128; both must be at least 2"):
        language_model(WeightsFile({}, _SETTINGS), context=1)
