"""Tests that the scores of each family are those of the package transformers."""

from __future__ import annotations

from itertools import accumulate
from pathlib import Path

import pytest
import torch

from llm.decoder.network import Decoder
from llm.decoder.testing_families import (
    FAMILIES,
    GGUF_FAMILIES,
    PROMPT_TOKENS,
    WINDOW_FAMILIES,
    from_safetensors,
    load_spec,
    prompt,
    random_model,
    write_gguf,
)


@torch.no_grad()
def _assert_equal_scores(network: Decoder, name: str) -> None:
    found = network.scores(network.vectors(prompt(), torch.arange(PROMPT_TOKENS)))[0]
    expected = random_model(name)(prompt()).logits[0]
    assert float((found - expected).abs().max()) < 1e-4 * float(expected.abs().max())


@pytest.mark.parametrize("name", FAMILIES)
def test_safetensors_give_the_scores_of_transformers(name: str, tmp_path: Path) -> None:
    _assert_equal_scores(from_safetensors(name, tmp_path).module, name)


@pytest.mark.parametrize("name", GGUF_FAMILIES)
def test_gguf_file_gives_the_scores_of_transformers(name: str, tmp_path: Path) -> None:
    write_gguf(tmp_path / "model.gguf", name, random_model(name))
    _assert_equal_scores(load_spec(tmp_path / "model.gguf").module, name)


@pytest.mark.parametrize(("kv_cache", "tolerance"), [("float16", 0.005), ("int8", 0.1)])
@pytest.mark.parametrize("name", FAMILIES)
@torch.no_grad()
def test_small_caches_give_almost_the_same_scores(name: str, kv_cache: str, tolerance: float, tmp_path: Path) -> None:
    found = from_safetensors(name, tmp_path, kv_cache).module.prefill(prompt(), torch.arange(PROMPT_TOKENS))
    expected = random_model(name)(prompt()).logits[:, -1]
    assert float((found - expected).abs().max()) < tolerance * float(expected.abs().max())


# Chunks of several sizes, past the 28 tokens of a ring for a window of 12 and chunks of 16.
_CHUNKS = (16, 16, 1, 16, 1, 5, 1, 14)


@torch.no_grad()
def _scores_of_chunks(network: Decoder) -> torch.Tensor:
    ends = list(accumulate(_CHUNKS))
    return torch.cat(
        [
            network.scores(network.vectors(prompt()[:, end - size : end], torch.arange(end - size, end)))[0]
            for size, end in zip(_CHUNKS, ends, strict=True)
        ]
    )


@pytest.mark.parametrize("name", WINDOW_FAMILIES)
def test_rings_give_the_scores_of_transformers(name: str, tmp_path: Path) -> None:
    network = from_safetensors(name, tmp_path, chunk=16).module
    assert network.config.rings == {12: 28}
    found, expected = _scores_of_chunks(network), random_model(name)(prompt()).logits[0].detach()
    assert len(found) == PROMPT_TOKENS
    assert float((found - expected).abs().max()) < 1e-4 * float(expected.abs().max())


# Sums with different rounding errors can be rounded to adjacent float16 or int8 values.
@pytest.mark.parametrize(("kv_cache", "tolerance"), [("float32", 1e-5), ("float16", 0.001), ("int8", 0.01)])
@pytest.mark.parametrize("name", WINDOW_FAMILIES)
def test_rings_give_the_scores_of_whole_caches(name: str, kv_cache: str, tolerance: float, tmp_path: Path) -> None:
    whole = from_safetensors(name, tmp_path, kv_cache, chunk=190).module
    assert whole.config.rings == {}
    expected = _scores_of_chunks(whole)
    found = _scores_of_chunks(from_safetensors(name, tmp_path, kv_cache, chunk=16).module)
    assert float((found - expected).abs().max()) < tolerance * float(expected.abs().max())
