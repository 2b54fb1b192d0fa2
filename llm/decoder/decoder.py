"""The entry point of decoders in GGUF files, or safetensors with a `config.json`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeAlias

import torch
from torch import Tensor
from torch.export import Dim

import exir
from llm.decoder import from_gguf, from_hugging_face
from llm.decoder.adapter import LowRank, merge_adapter, read_adapter
from llm.decoder.config import DecoderConfig, LayerConfig
from llm.decoder.kv_cache import KV_CACHE_DTYPES
from llm.decoder.network import Decoder

_MapWeights: TypeAlias = Callable[[Mapping[str, Tensor]], Mapping[str, Tensor]]


def language_model(
    weights: exir.WeightsFile,
    context: int = 2048,
    chunk: int = 128,
    kv_cache: str = "float32",
    merged_adapter: str = "",
    adapter_ranks: str = "",
) -> exir.ModelSpec:
    """Return a model with the methods `prefill` and `decode`.

    weights: a GGUF file, or safetensors with the model's `config.json` as metadata.
    context: maximum number of tokens of a conversation; the model's context length can be a lower limit.
    chunk: maximum number of tokens of one `prefill` call.
    kv_cache: dtype of the KV cache: float32, float16 or int8.
    merged_adapter: folder of a LoRA adapter that is merged into the weights, as of `exir.data_path`.
    adapter_ranks: JSON file with the ranks of the layers that adapters can change at run time.

    Raises ValueError for a model that is not supported.
    """
    if context < 2 or chunk < 2:
        raise ValueError(f"'context' is {context} and 'chunk' is {chunk}; both must be at least 2")
    if kv_cache not in KV_CACHE_DTYPES:
        raise ValueError(f"'kv_cache' is '{kv_cache}'; supported: {', '.join(KV_CACHE_DTYPES)}")
    config, map_weights = _read_config(weights, context)
    if any(layer.window is not None and layer.window < 1 for layer in config.layers):
        raise ValueError("the sliding window is less than 1 token; correct the model's configuration")
    if merged_adapter:
        map_weights = _merging(map_weights, read_adapter(exir.data_path(merged_adapter), config.all_layer_sizes))
    ranks = json.loads(exir.data_path(adapter_ranks).read_text(encoding="utf-8")) if adapter_ranks else {}
    config = replace(config, kv_cache=kv_cache, chunk=chunk, layers=_with_ranks(config, ranks))
    length, size = min(5, chunk), config.context
    n = Dim("n", min=2, max=chunk)
    many = (torch.ones(1, length, dtype=torch.int64), torch.arange(length))
    one = (torch.ones(1, 1, dtype=torch.int64), torch.tensor([min(5, size - 1)]))
    methods = {
        "prefill": exir.MethodSpec(many, dynamic_shapes={"tokens": {1: n}, "positions": {0: n}}),
        "decode": exir.MethodSpec(one),
    }
    return exir.ModelSpec(
        Decoder(config),
        methods=methods,
        constant_methods={"get_max_context_len": size, **_ring_methods(config)},
        exchangeable=[f"{layer}.adapter_{letter}" for layer in ranks for letter in "ab"],
        map_weights=map_weights,
    )


def _ring_methods(config: DecoderConfig) -> dict[str, int]:
    """Return the constant methods that state which tokens rings keep.

    A ring has the latest `window + chunk` tokens. After a rewind by at most `chunk + 1` of them, it still
    has the `window - 1` tokens that the next one sees.
    """
    if not config.rings:
        return {}
    return {"get_min_ring_len": min(config.rings.values()), "get_max_rewind_len": config.chunk + 1}


def _with_ranks(config: DecoderConfig, ranks: Mapping[str, int]) -> tuple[LayerConfig, ...]:
    unknown = ranks.keys() - config.all_layer_sizes.keys()
    if unknown:
        raise ValueError(f"an adapter changes '{min(unknown)}', which the model does not have; use its base model")
    names = config.layer_sizes
    return tuple(
        replace(layer, adapter_ranks={name: ranks[key] for name in names if (key := f"blk.{i}.{name}") in ranks})
        for i, layer in enumerate(config.layers)
    )


def _merging(map_weights: _MapWeights, changes: Mapping[str, LowRank]) -> _MapWeights:
    return lambda tensors: merge_adapter(map_weights(tensors), changes)


def _read_config(weights: exir.WeightsFile, context: int) -> tuple[DecoderConfig, _MapWeights]:
    """Return the configuration, and a function that renames the tensors."""
    metadata = weights.metadata
    if "general.architecture" in metadata:
        config = from_gguf.read_config(weights, context)
        family = metadata["general.architecture"]
        return config, lambda tensors: from_gguf.map_weights(tensors, config, family)
    if "model_type" in metadata:
        config = from_hugging_face.read_config(metadata, context, weights.tensors)
        family = metadata["model_type"]
        return config, lambda tensors: from_hugging_face.map_weights(tensors, config, family)
    raise ValueError(
        "the weights file does not describe its model; pass a GGUF file, or set 'model_config' of executorch_llm "
        "('weights_metadata' of executorch_model) to the model's config.json"
    )
