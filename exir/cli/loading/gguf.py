"""Load GGUF files: tensors, with block types as `BlockWeight`, and metadata.

Block layouts are those of ggml's `ggml-common.h`. A row is a sequence of blocks. A block contains
scales and the quantized values of 32 or 256 elements. All data is little-endian.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from exir.error import WeightsError
from exir.files.gguf_file import GgufError, GgufTensor, read_gguf_file
from exir.weights.weights_file import BlockWeight, WeightsFile

# [rows, blocks, bytes per block]
_Blocks = np.ndarray[Any, np.dtype[np.uint8]]


# The elements of 4-bit values, before they are multiplied with a scale. MXFP4 has 4-bit floats (OCP
# Microscaling Formats, E2M1), doubled to make them integers.
_IQ4_VALUES = np.array(
    [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113], dtype=np.int8
)
_MXFP4_VALUES = np.array([0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12], dtype=np.int8)


@dataclass(frozen=True)
class _DecodedMatrix:
    """A decoded matrix.

    codes: quantized values [rows, columns]: signed, or unsigned with minima.
    scales, minima: [rows, groups].
    """

    codes: Any
    scales: Any
    minima: Any = None


class _LazyTensors(Mapping[str, Tensor]):
    """The tensors of a file, decoded on first use.

    A tensor that cannot be decoded raises `WeightsError` on access, so a model that does not use it
    still loads.
    """

    def __init__(self, path: Path, found: Mapping[str, GgufTensor]) -> None:
        self._path = path
        self._found = found
        self._decoded: dict[str, Tensor] = {}

    def __getitem__(self, name: str) -> Tensor:
        if name not in self._decoded:
            try:
                self._decoded[name] = _decode_tensor(self._found[name])
            except (ValueError, OverflowError, RuntimeError) as error:
                raise WeightsError(
                    f"{self._path}: {error}; supported types: {', '.join([*_PLAIN, *_READERS])}. If "
                    "the model does not need the tensor, omit it from the result of 'map_weights'"
                ) from error
        return self._decoded[name]

    def __contains__(self, name: object) -> bool:
        return name in self._found

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


def read_gguf(path: Path) -> WeightsFile:
    """Read the file at `path`. Raises `WeightsError` for a damaged file.

    Tensors are decoded on access.
    """
    try:
        file = read_gguf_file(path)
    except GgufError as error:
        raise WeightsError(
            f"{path}: not a valid GGUF file: {error}; download or generate it again"
        ) from error
    return WeightsFile(_LazyTensors(path, file.tensors), file.metadata)


def _decode_tensor(found: GgufTensor) -> Tensor:
    kind, shape = found.kind, found.shape
    blocks = found.blocks()
    if kind in _PLAIN:
        return torch.from_numpy(blocks.copy()).view(_PLAIN[kind]).reshape(shape)
    if kind not in _READERS:
        raise GgufError(f"tensor '{found.name}' has the unsupported type {kind}")
    if len(shape) != 2:
        raise GgufError(
            f"tensor '{found.name}' of type {kind} has shape {list(shape)}, expected [rows, columns]"
        )
    read, bits = _READERS[kind]
    rows, columns = shape
    if rows * columns == 0:
        raise GgufError(f"tensor '{found.name}' of type {kind} is empty: its shape is {list(shape)}")
    matrix = read(blocks.reshape(rows, -1, blocks.shape[1]))
    scales, minima = (_decode_floats(values, rows) for values in (matrix.scales, matrix.minima))
    return BlockWeight.of_codes(torch.from_numpy(matrix.codes.reshape(shape)), scales, minima, bits)


def _decode_floats(values: Any, rows: int) -> Any:
    return None if values is None else torch.from_numpy(np.ascontiguousarray(values.reshape(rows, -1)))


def _float16_at(blocks: _Blocks, start: int) -> Any:
    """Return the float16 at byte `start` of each block, [rows, blocks, 1]."""
    return np.ascontiguousarray(blocks[..., start : start + 2]).view("<f2").astype(np.float16)


def _unpack_nibbles(data: _Blocks, width: int) -> Any:
    """Unpack 4-bit values: for each `width` bytes, low nibbles, then high nibbles."""
    pairs = data.reshape(*data.shape[:2], -1, 1, width)
    return np.concatenate([pairs & 15, pairs >> 4], axis=-2).reshape(*data.shape[:2], -1)


def _unpack_pairs(data: _Blocks, width: int = 32) -> Any:
    """Unpack 2-bit values: of each `width` bytes, the lowest bits, then the next."""
    shifts = np.array([0, 2, 4, 6], dtype=np.uint8).reshape(4, 1)
    return (data.reshape(*data.shape[:2], -1, 1, width) >> shifts & 3).reshape(*data.shape[:2], -1)


def _fifth_bits(data: _Blocks) -> Any:
    """Return bit 4 of 32 elements from the bits of four bytes: 16 or 0."""
    return np.unpackbits(data, axis=-1, bitorder="little") << 4


def _q4_0(blocks: _Blocks) -> _DecodedMatrix:
    return _DecodedMatrix(
        _unpack_nibbles(blocks[..., 2:], 16).astype(np.int8) - 8, _float16_at(blocks, 0)
    )


def _q4_1(blocks: _Blocks) -> _DecodedMatrix:
    return _DecodedMatrix(
        _unpack_nibbles(blocks[..., 4:], 16), _float16_at(blocks, 0), _float16_at(blocks, 2)
    )


def _q5_0(blocks: _Blocks) -> _DecodedMatrix:
    codes = _unpack_nibbles(blocks[..., 6:], 16) | _fifth_bits(blocks[..., 2:6])
    return _DecodedMatrix(codes.astype(np.int8) - 16, _float16_at(blocks, 0))


def _q5_1(blocks: _Blocks) -> _DecodedMatrix:
    codes = _unpack_nibbles(blocks[..., 8:], 16) | _fifth_bits(blocks[..., 4:8])
    return _DecodedMatrix(codes, _float16_at(blocks, 0), _float16_at(blocks, 2))


def _q8_0(blocks: _Blocks) -> _DecodedMatrix:
    return _DecodedMatrix(np.ascontiguousarray(blocks[..., 2:]).view(np.int8), _float16_at(blocks, 0))


def _q4_k(blocks: _Blocks) -> _DecodedMatrix:
    return _DecodedMatrix(_unpack_nibbles(blocks[..., 16:], 32), *_affine_groups(blocks))


def _q5_k(blocks: _Blocks) -> _DecodedMatrix:
    shifts = np.arange(8, dtype=np.uint8).reshape(8, 1)
    fifth = (blocks[..., None, 16:48] >> shifts & 1).reshape(*blocks.shape[:2], 256) << 4
    return _DecodedMatrix(_unpack_nibbles(blocks[..., 48:], 32) | fifth, *_affine_groups(blocks))


def _q6_k(blocks: _Blocks) -> _DecodedMatrix:
    low = _unpack_nibbles(blocks[..., :128], 64)
    codes = (low | _unpack_pairs(blocks[..., 128:192]) << 4).astype(np.int8) - 32
    small = np.ascontiguousarray(blocks[..., 192:208]).view(np.int8)
    return _DecodedMatrix(codes, _float16_at(blocks, 208).astype(np.float32) * small)


def _q2_k(blocks: _Blocks) -> _DecodedMatrix:
    scale, minimum = (_float16_at(blocks, start).astype(np.float32) for start in (80, 82))
    small = blocks[..., :16]
    return _DecodedMatrix(
        _unpack_pairs(blocks[..., 16:80]), scale * (small & 15), -minimum * (small >> 4)
    )


def _q3_k(blocks: _Blocks) -> _DecodedMatrix:
    shifts = np.arange(8, dtype=np.uint8).reshape(8, 1)
    third = (blocks[..., None, :32] >> shifts & 1).reshape(*blocks.shape[:2], 256) << 2
    codes = (_unpack_pairs(blocks[..., 32:96]) | third).astype(np.int8) - 4
    # The scales' low nibbles are in eight bytes, their top bits in four.
    low, top = _unpack_nibbles(blocks[..., 96:104], 8), _unpack_pairs(blocks[..., 104:108], 4)
    small = (low | top << 4).astype(np.int8) - 32
    return _DecodedMatrix(codes, _float16_at(blocks, 108).astype(np.float32) * small)


def _iq4_nl(blocks: _Blocks) -> _DecodedMatrix:
    return _DecodedMatrix(_IQ4_VALUES[_unpack_nibbles(blocks[..., 2:], 16)], _float16_at(blocks, 0))


def _iq4_xs(blocks: _Blocks) -> _DecodedMatrix:
    # The scales' low nibbles are in four bytes, their top bits in the two bytes before.
    low = _unpack_nibbles(blocks[..., 4:8], 1)
    top = _unpack_pairs(blocks[..., 2:4], 1)
    small = (low | top << 4).astype(np.int8) - 32
    scales = _float16_at(blocks, 0).astype(np.float32) * small
    return _DecodedMatrix(_IQ4_VALUES[_unpack_nibbles(blocks[..., 8:], 16)], scales)


def _mxfp4(blocks: _Blocks) -> _DecodedMatrix:
    # The values are doubled, so the scale 2^(e - 127) is halved.
    scales = np.ldexp(np.float32(1), blocks[..., :1].astype(np.int32) - 128)
    return _DecodedMatrix(_MXFP4_VALUES[_unpack_nibbles(blocks[..., 1:], 16)], scales)


def _affine_groups(blocks: _Blocks) -> tuple[Any, Any]:
    """Return scales and minima of the eight groups of 32.

    Each is a 6-bit integer times a float16 of the block. The integers are packed in 12 bytes:

    - Bytes 0 to 3: low 6 bits are the scales of groups 0 to 3.
    - Bytes 4 to 7: low 6 bits are the minima of groups 0 to 3.
    - Bytes 8 to 11: low nibbles are the low bits of the scales of groups 4 to 7, high nibbles those
      of their minima. Their high 2 bits are the top bits of bytes 0 to 3 and of bytes 4 to 7.
    """
    first, second, third = (blocks[..., start : start + 4] for start in (4, 8, 12))
    scales = np.concatenate([first & 63, third & 15 | first >> 6 << 4], axis=-1)
    minima = np.concatenate([second & 63, third >> 4 | second >> 6 << 4], axis=-1)
    scale, minimum = (_float16_at(blocks, start).astype(np.float32) for start in (0, 2))
    return scale * scales, -(minimum * minima)


_PLAIN = {
    "F32": torch.float32,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "F64": torch.float64,
    "I8": torch.int8,
    "I16": torch.int16,
    "I32": torch.int32,
    "I64": torch.int64,
}

# The function that decodes a row's blocks, and the bits per quantized value in the program.
_READERS: dict[str, tuple[Callable[[_Blocks], _DecodedMatrix], int]] = {
    "Q4_0": (_q4_0, 4),
    "Q4_1": (_q4_1, 4),
    "Q5_0": (_q5_0, 8),
    "Q5_1": (_q5_1, 8),
    "Q8_0": (_q8_0, 8),
    "Q2_K": (_q2_k, 4),
    "Q3_K": (_q3_k, 4),
    "Q4_K": (_q4_k, 4),
    "Q5_K": (_q5_k, 8),
    "Q6_K": (_q6_k, 8),
    "IQ4_NL": (_iq4_nl, 8),
    "IQ4_XS": (_iq4_xs, 8),
    "MXFP4": (_mxfp4, 8),
}
