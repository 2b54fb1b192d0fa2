"""Tests of the hyperparameters, vocabularies and templates of several families."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from exir.cli.loading.weights import read_weights
from llm.decoder.decoder import language_model
from models.chat import small_files
from models.chat.small_files import LLAMA, QWEN, WINDOW, Kind
from text.generate import bpe
from text.generate.template_parts import split_template
from text.generate.template_renderer import renderer


@pytest.mark.parametrize("kind", [LLAMA, QWEN, WINDOW])
def test_model_shape_comes_from_the_gguf_metadata(tmp_path: Path, kind: Kind) -> None:
    path = tmp_path / "small.gguf"
    small_files.write(path, kind)
    config = language_model(read_weights(path)).module.config
    assert (config.width, config.heads, config.groups, config.head, config.context) == (64, 4, 2, 16, 512)
    assert (len(config.layers), bool(config.biases), config.tied) == (2, kind.biased, kind.tied)
    assert config.norms.epsilon == pytest.approx(kind.epsilon)
    assert [layer.window for layer in config.layers] == [kind.window, None]
    assert config.layers[0].rotary.speeds[0] == 1.0
    if not kind.slowed:
        assert config.layers[0].rotary.speeds[1] == pytest.approx(kind.base ** (-2 / 16))


def test_rope_frequencies_are_scaled_by_the_file(tmp_path: Path) -> None:
    speeds = []
    for kind in (LLAMA, replace(LLAMA, slowed=False)):
        path = tmp_path / "small.gguf"
        small_files.write(path, kind)
        (rotary, _) = (layer.rotary for layer in language_model(read_weights(path)).module.config.layers)
        speeds.append(torch.tensor(rotary.speeds))
    torch.testing.assert_close(speeds[0] * torch.tensor([1, 1, 1.5, 2.5, 4, 8, 16, 32]), speeds[1])


@pytest.mark.parametrize(
    ("kind", "opening", "user"),
    [
        (
            LLAMA,
            "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nToday Date: 26 Jul 2024\n\n<|eot_id|>",
            "<|start_header_id|>user<|end_header_id|>\n\n",
        ),
        (QWEN, "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n", "<|im_start|>user\n"),
    ],
)
def test_vocabulary_and_template_are_converted(tmp_path: Path, kind: Kind, opening: str, user: str) -> None:
    path = tmp_path / "small.gguf"
    small_files.write(path, kind)
    metadata = bpe.read_metadata(path)
    parts = split_template(renderer(metadata))
    assert (parts.opening, parts.formats["user"].before) == (opening, user)
    assert "const et_chat_template small_chat = {" in bpe.gguf_source(metadata, "small")


def test_unsupported_model_family_is_named(tmp_path: Path) -> None:
    path = tmp_path / "small.gguf"
    small_files.write(path, replace(QWEN, architecture="mamba"))
    with pytest.raises(ValueError, match="has architecture 'mamba'; supported: granite, llama"):
        language_model(read_weights(path))


def test_model_from_safetensors_chats() -> None:
    command = [os.environ["CHAT"], "--max-tokens", "5", "the thing"]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    # <|im_start|>user\n, the thing, <|im_end|>\n and <|im_start|>assistant\n; "th" is one token.
    assert "prompt: 26 tokens" in result.stderr
