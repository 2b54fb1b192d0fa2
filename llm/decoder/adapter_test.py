"""Tests of models with LoRA adapters, and of refused adapters."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from transformers import PreTrainedModel

from exir import BlockWeight
from exir.error import WeightsError
from llm.decoder.adapter import CONFIG_FILE, WEIGHTS_FILE, LowRank, merge_adapter, read_adapter
from llm.decoder.network import Decoder
from llm.decoder.testing_adapters import ALL_LINEAR, ATTENTION, adapted_model, save_adapter
from llm.decoder.testing_families import PROMPT_TOKENS, from_safetensors, load_spec, prompt, random_model, write_gguf


@torch.no_grad()
def _assert_equal_scores(network: Decoder, model: PreTrainedModel) -> None:
    found = network.scores(network.vectors(prompt(), torch.arange(PROMPT_TOKENS)))[0]
    expected = model(prompt()).logits[0]
    assert float((found - expected).abs().max()) < 1e-4 * float(expected.abs().max())


@torch.no_grad()
def _assert_visible(model: PreTrainedModel, base: PreTrainedModel) -> None:
    """Check that an adapter changes the scores by more than the tolerance."""
    scores = base(prompt()).logits
    assert float((model(prompt()).logits - scores).abs().max()) > 0.1 * float(scores.abs().max())


@pytest.mark.parametrize("targets", [ATTENTION, ALL_LINEAR])
@pytest.mark.parametrize("name", ["gemma2", "llama", "llama with biases", "olmo2", "phi3", "qwen3"])
def test_merged_adapter_gives_the_scores_of_low_rank_products(
    name: str, targets: tuple[str, ...], tmp_path: Path
) -> None:
    if name == "phi3" and targets == ATTENTION:
        targets = ("qkv_proj",)
    base = random_model(name)
    matrices = save_adapter(tmp_path / "adapter", base, targets)
    expected = adapted_model(base, matrices, 2.0)
    spec = from_safetensors(name, tmp_path, merged_adapter=tmp_path / "adapter")
    _assert_visible(expected, base)
    _assert_equal_scores(spec.module, expected)


@pytest.mark.parametrize("name", ["llama", "phi3", "qwen3"])
def test_adapter_merged_into_a_gguf_file_gives_the_scores_of_low_rank_products(name: str, tmp_path: Path) -> None:
    base = random_model(name)
    matrices = save_adapter(tmp_path / "adapter", base, ALL_LINEAR)
    write_gguf(tmp_path / "model.gguf", name, base)
    spec = load_spec(tmp_path / "model.gguf", merged_adapter=tmp_path / "adapter")
    _assert_equal_scores(spec.module, adapted_model(base, matrices, 2.0))


def test_rank_and_alpha_of_a_module_can_differ(tmp_path: Path) -> None:
    base = random_model("llama")
    ranks = {"model.layers.1.self_attn.q_proj": 6}
    alphas = {"layers.2.self_attn.v_proj": 24, "^model.layers.3.self_attn.v_proj": 2.5}
    matrices = save_adapter(tmp_path / "adapter", base, rank_pattern=ranks, alpha_pattern=alphas)
    scales = dict.fromkeys(matrices, 2.0) | {
        "model.layers.1.self_attn.q_proj": 8 / 6,
        "model.layers.2.self_attn.v_proj": 6.0,
        "model.layers.3.self_attn.v_proj": 2.5 / 4,
    }
    spec = from_safetensors("llama", tmp_path, merged_adapter=tmp_path / "adapter")
    _assert_equal_scores(spec.module, adapted_model(base, matrices, scales))


def test_rank_stabilized_scale_divides_by_the_square_root(tmp_path: Path) -> None:
    base = random_model("llama")
    matrices = save_adapter(tmp_path / "adapter", base, use_rslora=True)
    spec = from_safetensors("llama", tmp_path, merged_adapter=tmp_path / "adapter")
    _assert_equal_scores(spec.module, adapted_model(base, matrices, 4.0))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_matrices_of_16_bits_are_converted(dtype: torch.dtype, tmp_path: Path) -> None:
    base = random_model("llama")
    matrices = save_adapter(tmp_path / "adapter", base, dtype=dtype)
    spec = from_safetensors("llama", tmp_path, merged_adapter=tmp_path / "adapter")
    _assert_equal_scores(spec.module, adapted_model(base, matrices, 2.0))


def test_weight_with_blocks_becomes_float32() -> None:
    codes = torch.randint(-8, 8, (3, 32), dtype=torch.int8)
    weight = BlockWeight.of_codes(codes, torch.full((3, 1), 0.5), None, 4)
    a, b = torch.randn(2, 32), torch.randn(3, 2)
    tensors = {"blk.0.attn_q.weight": weight, "blk.0.attn_k.weight": weight}
    merged = merge_adapter(tensors, {"blk.0.attn_q": LowRank(a, b)})
    torch.testing.assert_close(merged["blk.0.attn_q.weight"], codes * 0.5 + b @ a)
    assert merged["blk.0.attn_k.weight"] is weight


# ---- Refused adapters ----


def _read(tmp_path: Path) -> dict[str, LowRank]:
    return read_adapter(tmp_path, from_safetensors("llama", tmp_path / "model").module.config.all_layer_sizes)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"peft_type": "IA3"}, "'peft_type' is 'IA3'; supported: 'LORA'"),
        ({"bias": "all"}, "'bias' is 'all'; supported: None, 'none'"),
        ({"use_dora": True}, "'use_dora' is True; supported: None, False"),
        ({"modules_to_save": ["lm_head"]}, r"'modules_to_save' is \['lm_head'\]; supported"),
        ({"init_lora_weights": "pissa"}, "'init_lora_weights' is 'pissa'; supported"),
        ({"r": 8}, r"q_proj' has matrices of shape \[4, 64\] and \[64, 4\], but rank 8 in the configuration; pass the"),
        ({"r": "4"}, "has rank '4' in .*adapter_config.json, which is not a positive integer"),
        ({"lora_alpha": None}, "has 'lora_alpha' None in .*, which is not a number"),
        ({"lora_alpha": float("nan")}, "has 'lora_alpha' nan in .*, which is not a number"),
        ({"alpha_pattern": {".*q_proj": 2}}, r"may match 'alpha_pattern' '\.\*q_proj' in .*; use names of modules"),
        ({"rank_pattern": ["q_proj"]}, r"has 'rank_pattern' \['q_proj'\] in .*, which is not a JSON object"),
    ],
)
def test_unsupported_setting_is_named(settings: dict[str, Any], message: str, tmp_path: Path) -> None:
    save_adapter(tmp_path, random_model("llama"))
    path = tmp_path / CONFIG_FILE
    path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), **settings}), encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        _read(tmp_path)


_Q = "base_model.model.model.layers.0.self_attn.q_proj.lora_{}.weight"


def _renamed(name: str) -> Callable[[dict[str, Tensor]], None]:
    def rename(tensors: dict[str, Tensor]) -> None:
        for letter in "AB":
            tensors[name.format(letter)] = tensors.pop(_Q.format(letter))

    return rename


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_renamed("base_model.model.lm_head.lora_{}.weight"), "'lm_head' is not a linear layer of a block"),
        (
            _renamed("base_model.model.model.layers.0.self_attn.rotary.lora_{}.weight"),
            "'model.layers.0.self_attn.rotary' is not a linear layer of a block; train adapters for",
        ),
        (
            _renamed("base_model.model.model.layers.4.self_attn.q_proj.lora_{}.weight"),
            "layers.4.self_attn.q_proj' changes 'blk.4.attn_q', which the model does not have; use the adapter's "
            "base model .the adapter is for 'acme/base'.",
        ),
        (
            _renamed("base_model.model.model.embed_tokens.lora_embedding_{}"),
            "'base_model.model.model.embed_tokens.lora_embedding_A' is not a matrix of a linear layer",
        ),
        (lambda tensors: tensors.pop(_Q.format("B")), "q_proj' has only the matrix A; save the adapter again"),
        (
            lambda tensors: tensors.update({_Q.format("A"): torch.zeros(4, 96)}),
            "q_proj' has 96 inputs and 64 outputs, but blk.0.attn_q of the model has 64 and 64; use the adapter's base",
        ),
        (
            lambda tensors: tensors.update({_Q.format("A"): torch.zeros(4, 64, dtype=torch.int8)}),
            "is torch.int8; use float32, float16 or bfloat16",
        ),
        (lambda tensors: tensors.clear(), "the file has no tensors; save the adapter again"),
    ],
)
def test_tensors_that_do_not_fit_are_named(
    change: Callable[[dict[str, Tensor]], object], message: str, tmp_path: Path
) -> None:
    save_adapter(tmp_path, random_model("llama"), base_model_name_or_path="acme/base")
    tensors = load_file(tmp_path / WEIGHTS_FILE)
    change(tensors)
    save_file(tensors, tmp_path / WEIGHTS_FILE)
    with pytest.raises(ValueError, match=message):
        _read(tmp_path)


def test_fused_weight_of_another_size_is_named(tmp_path: Path) -> None:
    save_adapter(tmp_path, random_model("phi3"), ("qkv_proj",))
    name = "base_model.model.model.layers.0.self_attn.qkv_proj.lora_B.weight"
    save_file({**load_file(tmp_path / WEIGHTS_FILE), name: torch.zeros(100, 4)}, tmp_path / WEIGHTS_FILE)
    sizes = from_safetensors("phi3", tmp_path / "model").module.config.all_layer_sizes
    message = (
        "64 inputs and 100 outputs, but blk.0.attn_q and blk.0.attn_k and blk.0.attn_v of the model have 64 and 128"
    )
    with pytest.raises(ValueError, match=message):
        read_adapter(tmp_path, sizes)


def test_missing_and_damaged_files_are_named(tmp_path: Path) -> None:
    save_adapter(tmp_path, random_model("llama"))
    (tmp_path / CONFIG_FILE).write_text("[]", encoding="utf-8")
    with pytest.raises(WeightsError, match=CONFIG_FILE):
        _read(tmp_path)
    (tmp_path / CONFIG_FILE).unlink()
    with pytest.raises(WeightsError, match=CONFIG_FILE):
        _read(tmp_path)
    (tmp_path / WEIGHTS_FILE).write_bytes(b"\xff" * 64)
    with pytest.raises(WeightsError, match=WEIGHTS_FILE):
        _read(tmp_path)
