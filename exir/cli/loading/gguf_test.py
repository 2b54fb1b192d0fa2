"""Tests that GGUF files are read as the `gguf` package reads them."""

from pathlib import Path

import gguf
import numpy as np
import pytest
import torch
from gguf import GGMLQuantizationType as Type

from exir.cli.loading.gguf import read_gguf
from exir.error import WeightsError
from exir.weights.weights_file import BlockWeight

_BYTES = {
    "Q4_0": 18,
    "Q4_1": 20,
    "Q5_0": 22,
    "Q5_1": 24,
    "Q8_0": 34,
    "Q2_K": 84,
    "Q3_K": 110,
    "Q4_K": 144,
    "Q5_K": 176,
    "Q6_K": 210,
    "IQ4_NL": 18,
    "IQ4_XS": 136,
    "MXFP4": 17,
}
_4_BITS = {"Q2_K", "Q3_K", "Q4_0", "Q4_1", "Q4_K"}
_HALVES = {
    "Q2_K": (80, 82),
    "Q3_K": (108,),
    "Q4_1": (0, 2),
    "Q5_1": (0, 2),
    "Q4_K": (0, 2),
    "Q5_K": (0, 2),
    "Q6_K": (208,),
    "MXFP4": (),
}


def _random_blocks(kind: str) -> np.ndarray:
    """Return three rows of two random blocks, whose scales are small floats."""
    random = np.random.default_rng(len(kind) + _BYTES[kind])
    data = random.integers(0, 256, (3, 2, _BYTES[kind]), dtype=np.uint8)
    for start in _HALVES.get(kind, (0,)):
        data[..., start : start + 2] = random.random((3, 2, 1)).astype("<f2").view(np.uint8)
    if kind == "MXFP4":
        data[..., 0] = random.integers(110, 140, (3, 2))  # powers of two as exponents
    return data.reshape(3, -1)


def _write_gguf(path: Path, **tensors: tuple[np.ndarray, Type]) -> Path:
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_block_count(2)
    writer.add_array("tokenizer.ggml.tokens", ["a", "é"])
    for name, (data, kind) in tensors.items():
        writer.add_tensor(name, data, raw_dtype=kind)
    for step in (
        writer.write_header_to_file,
        writer.write_kv_data_to_file,
        writer.write_tensors_to_file,
        writer.close,
    ):
        step()
    return path


@pytest.mark.parametrize("kind", sorted(_BYTES))
def test_blocks_dequantize_like_the_gguf_package(tmp_path: Path, kind: str) -> None:
    data = _random_blocks(kind)
    weight = read_gguf(_write_gguf(tmp_path / "w.gguf", w=(data, Type[kind]))).tensors["w"]
    expected = torch.from_numpy(gguf.quants.dequantize(data, Type[kind]))
    assert isinstance(weight, BlockWeight) and weight.shape == expected.shape
    assert weight.bits == (4 if kind in _4_BITS else 8)
    torch.testing.assert_close(weight.dequantize(), expected, rtol=1e-6, atol=1e-7)


def test_floats_and_metadata_arrays_are_read(tmp_path: Path) -> None:
    float16_values = np.arange(6, dtype=np.float16).reshape(2, 3)
    words = (np.arange(4, dtype=np.float32).view(np.uint32) >> 16).astype(np.uint16).view(np.uint8)
    file = read_gguf(
        _write_gguf(tmp_path / "w.gguf", a=(float16_values, Type.F16), b=(words, Type.BF16))
    )
    assert torch.equal(file.tensors["a"], torch.from_numpy(float16_values))
    assert torch.equal(file.tensors["b"], torch.arange(4, dtype=torch.bfloat16))
    assert file.metadata["llama.block_count"] == 2
    assert file.metadata["tokenizer.ggml.tokens"] == ["a", "é"]


def test_unsupported_type_is_named_when_its_tensor_is_used(tmp_path: Path) -> None:
    odd, plain = np.zeros((2, 66), dtype=np.uint8), np.ones(3, dtype=np.float32)
    path = _write_gguf(tmp_path / "w.gguf", odd=(odd, Type.IQ2_XXS), plain=(plain, Type.F32))
    tensors = read_gguf(path).tensors
    assert torch.equal(tensors["plain"], torch.ones(3)) and set(tensors) == {"odd", "plain"}
    with pytest.raises(
        WeightsError,
        match=r"w.gguf: tensor 'odd' has the unsupported type IQ2_XXS; supported types: F32, .*'map_weights'",
    ):
        tensors["odd"]


def test_gguf_integers_are_read(tmp_path: Path) -> None:
    path = _write_gguf(tmp_path / "w.gguf", w=(np.arange(-3, 3, dtype=np.int32).reshape(2, 3), Type.I32))
    assert torch.equal(
        read_gguf(path).tensors["w"], torch.arange(-3, 3, dtype=torch.int32).reshape(2, 3)
    )


@pytest.mark.parametrize("size", [0, 3, 40, 200])
def test_truncated_gguf_file_is_refused(tmp_path: Path, size: int) -> None:
    path = _write_gguf(tmp_path / "w.gguf", w=(_random_blocks("Q4_0"), Type.Q4_0))
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(
        WeightsError, match=r"w.gguf: not a valid GGUF file: .*; download or generate it again"
    ):
        read_gguf(path)
