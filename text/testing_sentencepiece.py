"""Encode SentencePiece models."""

from __future__ import annotations

import struct
from collections.abc import Iterable


def field_of(number: int, data: bytes) -> bytes:
    """Return a field of bytes of a protocol buffer."""
    size = bytes([len(data)]) if len(data) < 128 else bytes([len(data) & 127 | 128, len(data) >> 7])
    return bytes([number << 3 | 2]) + size + data


def model_bytes(pieces: Iterable[tuple[str, float, int]], trainer: bytes, normalizer: bytes) -> bytes:
    """Return a model with these names, scores and kinds of pieces."""
    rows = (
        field_of(1, name.encode()) + b"\x15" + struct.pack("<f", score) + bytes([0x18, kind])
        for name, score, kind in pieces
    )
    return b"".join(field_of(1, row) for row in rows) + field_of(2, trainer) + field_of(3, normalizer)
