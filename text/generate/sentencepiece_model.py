"""Read SentencePiece models: protocol buffers with pieces, scores and options."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from text.generate.bpe_vocabulary import (
    BYTE,
    BYTE_NAME,
    NORMAL,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    Vocabulary,
    character_vocabulary,
    scored_merges,
)
from text.generate.charsmap import read_charsmap
from text.generate.normalizers import Charsmap, Spaces, Step

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


def check_model(model: SentencePieceModel, model_type: int) -> None:
    """Raise `ValueError` unless a model is of a type and has supported options."""
    if model.model_type != model_type:
        names = [_MODEL_TYPES.get(each, str(each)) for each in (model.model_type, model_type)]
        raise ValueError(f"the model is of kind {names[0]!r}; use a model of the kind {names[1]!r}")
    if model.whitespace_is_suffix:
        raise ValueError("'treat_whitespace_as_suffix' of the model is not supported")
    if not model.escape_whitespaces:
        raise ValueError("a model without 'escape_whitespaces' is not supported")
    for number, (name, kind) in enumerate(zip(model.names, model.kinds, strict=True)):
        if not NORMAL <= kind <= BYTE or (kind == BYTE and not BYTE_NAME.fullmatch(name)):
            raise ValueError(f"the token {number} ({name!r}) is of the unknown kind {kind}")
    if model.kinds.count(UNKNOWN) != 1:
        raise ValueError(f"the model has {model.kinds.count(UNKNOWN)} unknown tokens; exactly one is required")
    check_scores(model.scores)
    names = [name for name, kind in zip(model.names, model.kinds, strict=True) if kind in (NORMAL, USER_DEFINED)]
    if "" in names or len(set(names)) != len(names):
        raise ValueError("the model has empty or repeated tokens")


def check_scores(scores: Sequence[float]) -> None:
    """Raise `ValueError` for a score that is not finite."""
    for number, score in enumerate(scores):
        if not math.isfinite(score):
            raise ValueError(f"the score of token {number} is {score}, not a finite number")


def user_defined(model: SentencePieceModel) -> dict[str, int]:
    """Return the user-defined tokens of a model by their names."""
    rows = enumerate(zip(model.names, model.kinds, strict=True))
    return {name: number for number, (name, kind) in rows if kind == USER_DEFINED}


def normalizer_steps(model: SentencePieceModel) -> tuple[Step, ...]:
    """Return the normalizer of a model. Raises `ValueError`."""
    replacements = read_charsmap(model.charsmap) if model.charsmap else {}
    symbols = tuple(name.encode() for name in user_defined(model))
    spaces = Spaces(prefix=model.add_dummy_prefix, merges=model.remove_extra_whitespaces)
    return (Charsmap(replacements, symbols), spaces) if replacements or symbols else (spaces,)


def byte_pair_vocabulary(model: SentencePieceModel) -> Vocabulary:
    """Return the vocabulary of a model of the kind 'bpe'. Raises `ValueError`."""
    check_model(model, BPE)
    if UNUSED in model.kinds:
        number = model.kinds.index(UNUSED)
        raise ValueError(f"the token {number} ({model.names[number]!r}) is of the unsupported kind 'unused'")
    # Text between user-defined tokens does not contain any, so merges do not need them.
    kinds = [UNUSED if kind == USER_DEFINED else kind for kind in model.kinds]
    merges, ranks = scored_merges(model.names, kinds, model.scores)
    return replace(
        character_vocabulary(model.names, model.kinds, merges, "", model.byte_fallback),
        ranks=ranks,
        prefix="normalizer" if model.add_dummy_prefix else "",
        steps=normalizer_steps(model),
        normalized={name.encode(): number for name, number in user_defined(model).items()},
        replaces_bytes=True,
    )


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
