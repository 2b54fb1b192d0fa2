"""Tests of the hyperparameters, vocabularies and templates of several families."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from exir.cli.loading.weights import read_weights
from models.chat import llama, small_files
from models.chat.small_files import LLAMA, QWEN, Kind
from text.generate import bpe, chat


@pytest.mark.parametrize("kind", [LLAMA, QWEN])
def test_model_shape_comes_from_the_gguf_metadata(tmp_path: Path, kind: Kind) -> None:
    path = tmp_path / "small.gguf"
    small_files.write(path, kind)
    shape = llama.shape_of(read_weights(path))
    assert (shape.layers, shape.width, shape.heads, shape.groups, shape.head, shape.length) == (2, 64, 4, 2, 16, 32)
    assert (shape.biased, shape.tied, shape.base) == (kind.biased, kind.tied, kind.base)
    assert shape.epsilon == pytest.approx(kind.epsilon)


def test_rope_frequencies_are_scaled_by_the_file(tmp_path: Path) -> None:
    path = tmp_path / "small.gguf"
    small_files.write(path, LLAMA)
    file = read_weights(path)
    shape = llama.shape_of(file)
    slowed, plain = (llama.angles_of(shape, slowing) for slowing in (file.tensors["rope_freqs.weight"], None))
    torch.testing.assert_close(slowed[1:] * torch.tensor([1, 1, 1.5, 2.5, 4, 8, 16, 32]), plain[1:])


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
    parts = chat.split_template(chat.renderer(metadata))
    assert (parts.opening, parts.before["user"]) == (opening, user)
    assert "const et_chat_template small_chat = {" in bpe.source(metadata, "small")


def test_unsupported_model_family_is_named(tmp_path: Path) -> None:
    path = tmp_path / "small.gguf"
    small_files.write(path, replace(QWEN, architecture="mamba"))
    with pytest.raises(ValueError, match="has architecture 'mamba'; pass a GGUF file of one of: llama, qwen2"):
        llama.chat(read_weights(path))
