"""Unigram vocabularies, and readers of their files."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from text.generate.bpe_vocabulary import (
    BYTE,
    BYTE_NAME,
    CONTROL,
    NORMAL,
    SPACE,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    metadata_list,
    scored_tokens,
)
from text.generate.normalizers import Step, check_prefix, read_normalizer
from text.generate.post_processors import read_post_processor
from text.generate.sentencepiece_model import UNIGRAM, SentencePieceModel, check_model, check_scores, normalizer_steps

_UNKNOWN_PENALTY = 10.0
_MOST_PIECE_BYTES = 0xFFFF
_MOST_TOKENS = 1 << 24


@dataclass(frozen=True)
class Words:
    """How normalized text is split into words; the fields of `et_unigram_words`.

    prefix: where a mark of a space is added: "" (nowhere), "text" or "parts".
    """

    prefix: str = ""
    splits_at_spaces: bool = False
    marks_spaces: bool = False
    splits_at_marks: bool = False
    restarts: bool = False


@dataclass(frozen=True)
class UnigramVocabulary:
    """A Unigram vocabulary.

    tokens: the bytes of each token.
    pieces: the tokens that text can contain, by their bytes in normalized text.
    scores: of each token.
    unknown_score: of a character without a token.
    unknown: the token of such characters.
    byte_tokens: the tokens of their bytes; empty if they are unknown.
    is_single_precision: sums of scores are rounded to float, as in SentencePiece.
    replaces_bytes: each byte of invalid UTF-8 becomes U+FFFD.
    added: tokens at which text is split before it is normalized.
    begin, end: tokens that models expect before and after a text.
    """

    tokens: Sequence[bytes]
    pieces: Mapping[bytes, int]
    scores: Sequence[float]
    unknown_score: float
    unknown: int
    byte_tokens: Sequence[int]
    is_single_precision: bool
    replaces_bytes: bool
    steps: tuple[Step, ...]
    words: Words
    added: Sequence[int] = ()
    begin: Sequence[int] = ()
    end: Sequence[int] = ()


def _token_bytes(name: str, kind: int) -> bytes:
    if kind == BYTE:
        return bytes([int(name[3:5], 16)])
    return name.replace(SPACE, " ").encode()


def _pieces(names: Sequence[str], kinds: Sequence[int]) -> dict[bytes, int]:
    """Return the tokens that text can contain."""
    found = {
        name.encode(): number
        for number, (name, kind) in enumerate(zip(names, kinds, strict=True))
        if kind in (NORMAL, USER_DEFINED) and name
    }
    longest = max(found, key=len, default=b"")
    if len(longest) > _MOST_PIECE_BYTES:
        raise ValueError(f"the token {longest[:20]!r}... has more than {_MOST_PIECE_BYTES} bytes")
    return found


def _byte_tokens(names: Sequence[str], kinds: Sequence[int]) -> list[int]:
    """Return the token of each byte. Raises `ValueError` if one is missing."""
    found = {name: number for number, (name, kind) in enumerate(zip(names, kinds, strict=True)) if kind == BYTE}
    for byte in range(256):
        if f"<0x{byte:02X}>" not in found:
            raise ValueError(
                f"the vocabulary has 'byte_fallback', but no token <0x{byte:02X}>; use a file with all 256 byte tokens"
            )
    return [found[f"<0x{byte:02X}>"] for byte in range(256)]


def _crosses_marks(pieces: Mapping[bytes, int]) -> bool:
    """Return whether a piece has the mark of a space after its first character."""
    mark = SPACE.encode()
    return any(mark in piece[1:] for piece in pieces)


# ---- SentencePiece models ----


def sentencepiece_vocabulary(model: SentencePieceModel) -> UnigramVocabulary:
    """Return the vocabulary of a SentencePiece model. Raises `ValueError`."""
    check_model(model, UNIGRAM)
    names, kinds = model.names, model.kinds
    pieces = _pieces(names, kinds)
    normal = [score for score, kind in zip(model.scores, kinds, strict=True) if kind == NORMAL] or [0.0]
    return UnigramVocabulary(
        tokens=[_token_bytes(name, kind) for name, kind in zip(names, kinds, strict=True)],
        pieces=pieces,
        scores=_scores_with_bonus(model, max(normal)),
        unknown_score=_float32(min(normal) - _UNKNOWN_PENALTY),
        unknown=kinds.index(UNKNOWN),
        byte_tokens=_byte_tokens(names, kinds) if model.byte_fallback else (),
        is_single_precision=True,
        replaces_bytes=True,
        steps=normalizer_steps(model),
        words=Words(splits_at_marks=not _crosses_marks(pieces)),
    )


def _float32(value: float) -> float:
    """Return the nearest value of single precision."""
    return float(struct.unpack("<f", struct.pack("<f", value))[0])


def _scores_with_bonus(model: SentencePieceModel, highest: float) -> list[float]:
    """Return scores with which user-defined tokens win, as in SentencePiece."""
    rows = zip(model.names, model.scores, model.kinds, strict=True)
    return [_float32(0.1 * (len(name.encode()) - 1)) if kind == USER_DEFINED else score for name, score, kind in rows]


# ---- GGUF files ----


def gguf_vocabulary(metadata: Mapping[str, Any]) -> UnigramVocabulary:
    """Return the Unigram vocabulary of a GGUF file. Raises `ValueError`."""
    kind = metadata.get("tokenizer.ggml.model")
    if kind != "t5":
        raise ValueError(f"the tokenizer is of kind {kind!r}; supported: 't5' (Unigram)")
    names, kinds, scores = scored_tokens(metadata)
    charsmap = metadata_list(metadata, "tokenizer.ggml.precompiled_charsmap", int, [])
    if not all(-128 <= byte < 256 for byte in charsmap):
        raise ValueError("'tokenizer.ggml.precompiled_charsmap' is not a list of bytes")
    model = SentencePieceModel(
        names,
        scores,
        kinds,
        charsmap=bytes(byte & 0xFF for byte in charsmap),
        add_dummy_prefix=bool(metadata.get("tokenizer.ggml.add_space_prefix")),
        remove_extra_whitespaces=bool(metadata.get("tokenizer.ggml.remove_extra_whitespaces")),
    )
    begin = _gguf_token(metadata, "bos", len(names)) if metadata.get("tokenizer.ggml.add_bos_token") else []
    end = _gguf_token(metadata, "eos", len(names)) if metadata.get("tokenizer.ggml.add_eos_token", True) else []
    return replace(sentencepiece_vocabulary(model), begin=begin, end=end)


def _gguf_token(metadata: Mapping[str, Any], role: str, count: int) -> list[int]:
    """Return the token that begins or ends texts, if a GGUF file has it."""
    token = metadata.get(f"tokenizer.ggml.{role}_token_id")
    if token is not None and (type(token) is not int or not 0 <= token < count):
        raise ValueError(f"'tokenizer.ggml.{role}_token_id' is {token!r}, not one of the {count} tokens")
    return [] if token is None else [token]


# ---- tokenizer.json ----


def json_vocabulary(tokenizer: Mapping[str, Any]) -> UnigramVocabulary:
    """Return the vocabulary of a tokenizer.json. Raises `ValueError`."""
    try:
        return _read(tokenizer)
    except (KeyError, TypeError, AttributeError, IndexError, OverflowError) as error:
        raise ValueError(f"not a valid tokenizer.json: {type(error).__name__}: {error}") from error


def _read(tokenizer: Mapping[str, Any]) -> UnigramVocabulary:
    model = tokenizer["model"]
    if model.get("type") != "Unigram":
        raise ValueError(f"the model is of kind {model.get('type')!r}; use a tokenizer of the kind 'Unigram'")
    names = [name for name, _ in model["vocab"]]
    scores = [float(score) for _, score in model["vocab"]]
    if not names or not all(type(name) is str for name in names):
        raise ValueError("'vocab' of the model is not a list of pairs of strings and scores")
    check_scores(scores)
    unknown = model.get("unk_id")
    if type(unknown) is not int or not 0 <= unknown < len(names):
        raise ValueError(f"'unk_id' of the model is {unknown!r}, not the index of a token")
    has_bytes = bool(model.get("byte_fallback"))
    kinds = [BYTE if has_bytes and BYTE_NAME.fullmatch(name) else NORMAL for name in names]
    kinds[unknown] = UNKNOWN
    steps = read_normalizer(tokenizer.get("normalizer"))
    _add_tokens(tokenizer.get("added_tokens", []), names, kinds, bool(steps))
    pieces = {name: number for name, number in _pieces(names, kinds).items() if kinds[number] == NORMAL}
    begin, end = read_post_processor(tokenizer.get("post_processor"), len(names))
    return UnigramVocabulary(
        tokens=[
            name.encode() if kind in (USER_DEFINED, CONTROL) else _token_bytes(name, kind)
            for name, kind in zip(names, kinds, strict=True)
        ],
        pieces=pieces,
        scores=[*scores, *[0.0] * (len(names) - len(scores))],
        unknown_score=min(scores) - _UNKNOWN_PENALTY,
        unknown=unknown,
        byte_tokens=_byte_tokens(names, kinds) if has_bytes else (),
        is_single_precision=False,
        replaces_bytes=False,
        steps=steps,
        words=_words(tokenizer.get("pre_tokenizer"), steps, pieces),
        added=[token for token, kind in enumerate(kinds) if kind == USER_DEFINED],
        begin=begin,
        end=end,
    )


def _add_tokens(added: Sequence[Mapping[str, Any]], names: list[str], kinds: list[int], is_normalized: bool) -> None:
    """Add the added tokens of a tokenizer.json to the names and kinds of tokens."""
    for token in added:
        name, number = token["content"], token["id"]
        if (
            type(name) is not str
            or type(number) is not int
            or not 0 <= number < min(_MOST_TOKENS, 4 * len(names) + 1000)
        ):
            raise ValueError(f"the added token {name!r} has the id {number!r}, which is out of range")
        if number < len(names) and names[number] not in (name, ""):
            raise ValueError(f"the added token {name!r} has the id of {names[number]!r}")
        missing = number + 1 - len(names)
        names += [""] * missing
        kinds += [UNUSED] * missing
        names[number] = name
        if token["special"]:
            kinds[number] = UNKNOWN if kinds[number] == UNKNOWN else CONTROL
            continue
        for option in ("single_word", "lstrip", "rstrip"):
            if token.get(option):
                raise ValueError(f"'{option}' of the added token {name!r} is not supported")
        if token.get("normalized", True) and is_normalized:
            raise ValueError(f"'normalized' of the added token {name!r} is not supported beside a normalizer")
        kinds[number] = USER_DEFINED if name else UNUSED


def _words(pre_tokenizer: Mapping[str, Any] | None, steps: Sequence[Step], pieces: Mapping[bytes, int]) -> Words:
    kinds = _pre_tokenizers(pre_tokenizer)
    names = [step.get("type") for step in kinds]
    if names not in ([], ["WhitespaceSplit"], ["Metaspace"], ["WhitespaceSplit", "Metaspace"]):
        raise ValueError(
            f"the pre-tokenizer {' + '.join(map(str, names))} is not supported; supported: WhitespaceSplit, Metaspace,"
            " both in this order"
        )
    splits_at_spaces = "WhitespaceSplit" in names
    if "Metaspace" not in names:
        return Words(splits_at_spaces=splits_at_spaces, restarts=splits_at_spaces)
    step = kinds[-1]
    prefix = _metaspace_prefix(step)
    check_prefix(steps, prefix)
    splits = bool(step.get("split", True))
    # Without a split, text is one word. Pieces that do not cross marks give the same tokens.
    return Words(
        prefix=prefix,
        splits_at_spaces=splits_at_spaces,
        marks_spaces=True,
        splits_at_marks=splits or (not splits_at_spaces and not _crosses_marks(pieces)),
        restarts=splits or splits_at_spaces,
    )


def _metaspace_prefix(step: Mapping[str, Any]) -> str:
    if step.get("replacement", SPACE) != SPACE:
        raise ValueError(f"the replacement {step['replacement']!r} of the pre-tokenizer Metaspace is not supported")
    default = "always" if step.get("add_prefix_space", True) else "never"
    scheme = step.get("prepend_scheme", default)
    schemes = {"always": "parts", "first": "text", "never": ""}
    if scheme not in schemes:
        raise ValueError(f"the prepend scheme {scheme!r} of the pre-tokenizer Metaspace is not supported")
    return schemes[scheme]


def _pre_tokenizers(step: Mapping[str, Any] | None, depth: int = 0) -> list[Mapping[str, Any]]:
    if step is None:
        return []
    if step.get("type") == "Sequence" and depth < 10:
        return [each for part in step["pretokenizers"] for each in _pre_tokenizers(part, depth + 1)]
    return [step]
