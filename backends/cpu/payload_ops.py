"""Lists the ops of a payload as text (format: PAYLOAD.md). Does not import torch."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from backends.cpu.schema.declarations import Dtype
from backends.cpu.schema.registry import BY_CODE

_MAGIC, _VERSION, _HEADER_WORDS = 0x43504531, 1, 11


def describe(payload: bytes) -> list[tuple[str, list[str]]]:
    """Return the name, the inputs and the outputs of each op.

    Tensors are written as "float32[1, 3]", with their maximum sizes. Raises `ValueError` if
    `payload` is not a valid payload.
    """
    words = struct.unpack(f"<{len(payload) // 4}I", payload[: len(payload) // 4 * 4])
    if words[:2] != (_MAGIC, _VERSION) or len(words) < _HEADER_WORDS or words[2] * 4 != len(payload):
        raise ValueError(f"not a version {_VERSION} CpuBackend payload")
    try:
        return _Reader(words).ops()
    except IndexError as error:
        raise ValueError("the CpuBackend payload is corrupt") from error


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
        return f"{_dtype_name(dtype)}[{', '.join(sizes)}]"

    def _op(self, texts: Sequence[str]) -> tuple[str, list[str]]:
        code, inputs, outputs, workspaces, dims, attributes = self._take(6)
        values = [texts[number] for number in self._take(inputs + outputs)]
        self._take(workspaces + dims + attributes)
        return BY_CODE[code].op_name() if code in BY_CODE else f"op {code}", values


def _dtype_name(dtype: int) -> str:
    return Dtype(dtype).name.lower() if dtype in set(Dtype) else str(dtype)
