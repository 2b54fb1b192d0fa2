"""Read SentencePiece models: protocol buffers with pieces, scores and options."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

UNIGRAM, BPE = 1, 2
_MODEL_TYPES = {UNIGRAM: "unigram", BPE: "bpe", 3: "word", 4: "char"}
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5

# Numbers of fields, as in SentencePiece's sentencepiece_model.proto.
_PIECES, _TRAINER, _NORMALIZER = 1, 2, 3


@dataclass
class SentencePieceModel:
    """A SentencePiece model.

    names, scores, kinds: of each piece. Kinds are those of `text.generate.bpe_vocabulary`.
    """

    names: list[str] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    kinds: list[int] = field(default_factory=list)
    model_type: int = UNIGRAM
    whitespace_is_suffix: bool = False
    byte_fallback: bool = False
    charsmap: bytes = b""
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True


def read_model(data: bytes) -> SentencePieceModel:
    """Return the model in a file. Raises `ValueError`."""
    model = SentencePieceModel()
    try:
        for number, value in _fields(data):
            if number == _PIECES:
                _read_piece(model, _bytes_of(value))
            elif number == _TRAINER:
                _read_trainer(model, _bytes_of(value))
            elif number == _NORMALIZER:
                _read_normalizer(model, _bytes_of(value))
    except (ValueError, struct.error) as error:
        raise ValueError(f"not a valid SentencePiece model: {error}; download or generate it again") from error
    if not model.names:
        raise ValueError("not a valid SentencePiece model: it has no pieces; download or generate it again")
    return model


def model_type_name(model: SentencePieceModel) -> str:
    """Return the name of a model's algorithm."""
    return _MODEL_TYPES.get(model.model_type, str(model.model_type))


def _read_piece(model: SentencePieceModel, data: bytes) -> None:
    name, score, kind = "", 0.0, 1
    for number, value in _fields(data):
        if number == 1:
            name = _bytes_of(value).decode()
        elif number == 2:
            (score,) = struct.unpack("<f", _bytes_of(value))
        elif number == 3:
            kind = _integer_of(value)
    model.names.append(name)
    model.scores.append(score)
    model.kinds.append(kind)


def _read_trainer(model: SentencePieceModel, data: bytes) -> None:
    for number, value in _fields(data):
        if number == 3:
            model.model_type = _integer_of(value)
        elif number == 24:
            model.whitespace_is_suffix = bool(_integer_of(value))
        elif number == 35:
            model.byte_fallback = bool(_integer_of(value))


def _read_normalizer(model: SentencePieceModel, data: bytes) -> None:
    for number, value in _fields(data):
        if number == 2:
            model.charsmap = _bytes_of(value)
        elif number == 3:
            model.add_dummy_prefix = bool(_integer_of(value))
        elif number == 4:
            model.remove_extra_whitespaces = bool(_integer_of(value))
        elif number == 5:
            model.escape_whitespaces = bool(_integer_of(value))


def _bytes_of(value: int | bytes) -> bytes:
    if isinstance(value, int):
        raise ValueError("a field has an integer instead of bytes")
    return value


def _integer_of(value: int | bytes) -> int:
    if not isinstance(value, int):
        raise ValueError("a field has bytes instead of an integer")
    return value


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yield the number and the value of each field of a message."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        wire = key & 7
        if wire == _VARINT:
            value, at = _varint(data, at)
            yield key >> 3, value
            continue
        if wire == _BYTES:
            size, at = _varint(data, at)
        elif wire in (_FIXED32, _FIXED64):
            size = 4 if wire == _FIXED32 else 8
        else:
            raise ValueError(f"the field at byte {at} has the unknown type {wire}")
        if size > len(data) - at:
            raise ValueError(f"the field at byte {at} is longer than its message")
        yield key >> 3, data[at : at + size]
        at += size


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 64, 7):
        if at == len(data):
            break
        value |= (data[at] & 0x7F) << shift
        at += 1
        if data[at - 1] < 0x80:
            return value, at
    raise ValueError(f"the integer before byte {at} is not complete")
