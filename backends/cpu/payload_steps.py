"""The steps of a payload as people read them (PAYLOAD.md). Needs no torch."""

from __future__ import annotations

import struct
from collections.abc import Sequence

_MAGIC, _VERSION, _HEADER_WORDS = 0x43504531, 1, 11
# kinds.h, by code.
KINDS = {
    1: "product",
    2: "convolution",
    3: "depthwise",
    4: "winograd",
    5: "block",
    6: "pool",
    7: "permute",
    8: "copy",
    9: "map",
    10: "reduce",
    11: "softmax",
    12: "norm",
    13: "matmul",
    14: "attention",
    15: "embedding",
    16: "resize",
    17: "quantize",
    18: "dequantize",
    19: "product_i8",
    20: "convolution_i8",
    21: "depthwise_i8",
    22: "map_i8",
    23: "product_q",
    24: "update",
    27: "map_i64",
    28: "embedding_q",
    30: "table_i8",
    31: "pool_i8",
    32: "convert",
    33: "product_h",
    34: "convolution_h",
    40: "range",
    41: "cumsum",
    42: "topk",
    43: "adaptive_pool",
    44: "grid_sample",
    45: "fold",
    46: "winograd_i8",
    47: "strassen",
    48: "grouped_gemm",
    49: "grouped_gemm_h",
    50: "masked_scatter",
}
_DTYPES = {
    0: "uint8",
    1: "int8",
    2: "int16",
    3: "int32",
    4: "int64",
    5: "float16",
    6: "float32",
    11: "bool",
    15: "bfloat16",
}


def describe(payload: bytes) -> list[tuple[str, list[str]]]:
    """Each step's kind and its values as "float32[1, 3]", inputs and outputs, at the largest sizes. ValueError for other bytes."""
    words = struct.unpack(f"<{len(payload) // 4}I", payload[: len(payload) // 4 * 4])
    if words[:2] != (_MAGIC, _VERSION) or len(words) < _HEADER_WORDS or words[2] * 4 != len(payload):
        raise ValueError(f"not a payload of CpuBackend, version {_VERSION}")
    try:
        return _Reader(words).steps()
    except IndexError as error:
        raise ValueError("a payload of CpuBackend that is damaged") from error


class _Reader:
    """Goes over the tables, one behind the other."""

    def __init__(self, words: Sequence[int]) -> None:
        self._words = words
        self._at = _HEADER_WORDS

    def steps(self) -> list[tuple[str, list[str]]]:
        dims, values, data, steps = self._words[5:9]
        maxima = [self._take(4)[3] for _ in range(dims)]
        texts = [self._value(maxima) for _ in range(values)]
        for _ in range(data):
            self._take(3)
        return [self._step(texts) for _ in range(steps)]

    def _take(self, count: int) -> Sequence[int]:
        if count > len(self._words) - self._at:
            raise IndexError(self._at)
        self._at += count
        return self._words[self._at - count : self._at]

    def _value(self, maxima: Sequence[int]) -> str:
        dtype, rank, *_ = self._take(6)
        sizes = [str(maxima[number]) for number in self._take(rank)]
        return f"{_DTYPES.get(dtype, dtype)}[{', '.join(sizes)}]"

    def _step(self, texts: Sequence[str]) -> tuple[str, list[str]]:
        kind, inputs, outputs, workspaces, dims, attributes = self._take(6)
        values = [texts[number] for number in self._take(inputs + outputs)]
        self._take(workspaces + dims + attributes)
        return KINDS.get(kind, f"kind {kind}"), values
