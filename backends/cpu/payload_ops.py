"""Lists the ops of a payload as text (format: PAYLOAD.md). Does not import torch."""

from __future__ import annotations

import struct
from collections.abc import Sequence

_MAGIC, _VERSION, _HEADER_WORDS = 0x43504531, 1, 11
OPS = {
    1: "gemm_f32",
    2: "conv_f32",
    3: "dwconv_f32",
    4: "winograd_f32",
    5: "mbconv_f32",
    6: "pool_f32",
    7: "permute",
    8: "copy",
    9: "elementwise_f32",
    10: "reduce",
    11: "softmax",
    12: "norm",
    13: "matmul",
    14: "sdpa_f32",
    15: "embedding",
    16: "resize",
    17: "quantize",
    18: "dequantize",
    19: "gemm_qd8_qbw",
    20: "conv_qs8",
    21: "dwconv_qs8",
    22: "binary_qs8",
    23: "gemm_f32_qbw",
    24: "kv_update",
    27: "elementwise_i64",
    28: "embedding_qw",
    30: "lut_qs8",
    31: "pool_qs8",
    32: "cast",
    33: "gemm_f32_f16w",
    34: "conv_f32_f16w",
    40: "arange",
    41: "cumsum",
    42: "topk",
    43: "adaptive_pool",
    44: "grid_sample",
    45: "col2im",
    46: "winograd_qs8",
    47: "strassen_f32",
    48: "grouped_gemm_f32",
    49: "grouped_gemm_f32_f16w",
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
    """Return the name of each op and its inputs and outputs as "float32[1, 3]", at their largest sizes.

    Raises `ValueError` if `payload` is not a valid payload.
    """
    words = struct.unpack(f"<{len(payload) // 4}I", payload[: len(payload) // 4 * 4])
    if words[:2] != (_MAGIC, _VERSION) or len(words) < _HEADER_WORDS or words[2] * 4 != len(payload):
        raise ValueError(f"not a payload of CpuBackend, version {_VERSION}")
    try:
        return _Reader(words).ops()
    except IndexError as error:
        raise ValueError("the payload of CpuBackend is damaged") from error


class _Reader:
    """Reads the tables in order."""

    def __init__(self, words: Sequence[int]) -> None:
        self._words = words
        self._at = _HEADER_WORDS

    def ops(self) -> list[tuple[str, list[str]]]:
        dims, values, data, ops = self._words[5:9]
        maxima = [self._take(4)[3] for _ in range(dims)]
        texts = [self._value(maxima) for _ in range(values)]
        for _ in range(data):
            self._take(3)
        return [self._op(texts) for _ in range(ops)]

    def _take(self, count: int) -> Sequence[int]:
        if count > len(self._words) - self._at:
            raise IndexError(self._at)
        self._at += count
        return self._words[self._at - count : self._at]

    def _value(self, maxima: Sequence[int]) -> str:
        dtype, rank, *_ = self._take(6)
        sizes = [str(maxima[number]) for number in self._take(rank)]
        return f"{_DTYPES.get(dtype, dtype)}[{', '.join(sizes)}]"

    def _op(self, texts: Sequence[str]) -> tuple[str, list[str]]:
        kind, inputs, outputs, workspaces, dims, attributes = self._take(6)
        values = [texts[number] for number in self._take(inputs + outputs)]
        self._take(workspaces + dims + attributes)
        return OPS.get(kind, f"kind {kind}"), values
