"""Byte-pair vocabularies, and reading them from the metadata of a GGUF file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from text.generate.normalizers import Step
from text.generate.pretokenizers import gguf_patterns

# Types of tokens in `tokenizer.ggml.token_type`.
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)

# Names of tokens of the type BYTE.
BYTE_NAME = re.compile("<0x[0-9A-F]{2}>")

# The space in vocabularies whose initial tokens are characters.
SPACE = "\u2581"

# Splits before spaces.
_WORDS = f"[ {SPACE}]*[^ {SPACE}]+|[ {SPACE}]+"


@dataclass(frozen=True)
class Vocabulary:
    """A byte-pair vocabulary.

    tokens: the bytes of each token.
    merges: (left token, right token, result), sorted by priority.
    controls: names of control tokens.
    kinds: the type of each token.
    patterns: regular expressions that split text, one after another.
    ignores_merges: a word that is a token is not merged.
    is_characters: the initial tokens are characters, not bytes.
    prefix: where a space is added: "" (nowhere), "text" (at the start of text that does not start
        with one), "parts" (at the start, and after each user-defined token) or "normalizer" (in the
        steps).
    ranks: the priority of each merge, lowest first; by default, its index.
    steps: the normalization of text.
    normalized: the user-defined tokens that are found after normalization, by their bytes.
    replaces_bytes: each byte of invalid UTF-8 becomes U+FFFD.
    joins_unknown: characters without a token become the unknown token, which is not repeated.
    """

    tokens: Sequence[bytes]
    merges: Sequence[tuple[int, int, int]]
    controls: Mapping[str, int]
    kinds: Sequence[int]
    patterns: tuple[str, ...]
    ignores_merges: bool = False
    is_characters: bool = False
    prefix: str = ""
    ranks: Sequence[int] = ()
    steps: tuple[Step, ...] = ()
    normalized: Mapping[bytes, int] = field(default_factory=dict)
    replaces_bytes: bool = False
    joins_unknown: bool = False

    def of_kind(self, kind: int) -> list[int]:
        """Return the tokens of a type that are not empty."""
        return [token for token, each in enumerate(self.kinds) if each == kind and self.tokens[token]]


def read_vocabulary(metadata: Mapping[str, Any]) -> Vocabulary:
    """Read the vocabulary of a GGUF file. Raises `ValueError`."""
    model = metadata.get("tokenizer.ggml.model")
    if model == "gpt2":
        patterns, ignores_merges = gguf_patterns(metadata.get("tokenizer.ggml.pre", "gpt-2"))
        names, kinds = _names_and_kinds(metadata)
        return byte_vocabulary(names, kinds, _merge_lines(metadata), patterns, ignores_merges)
    if model == "llama":
        names, kinds, scores = scored_tokens(metadata)
        prefix = "parts" if metadata.get("tokenizer.ggml.add_space_prefix", True) else ""
        merges, ranks = scored_merges(names, kinds, scores)
        return replace(character_vocabulary(names, kinds, merges, prefix), ranks=ranks)
    raise ValueError(f"the tokenizer is of kind {model!r}; supported: 'gpt2' (byte pairs), 'llama' (SentencePiece)")


def byte_vocabulary(
    names: Sequence[str],
    kinds: Sequence[int],
    merges: Sequence[tuple[str, str]],
    patterns: tuple[str, ...],
    ignores_merges: bool,
) -> Vocabulary:
    """Return a vocabulary whose initial tokens are bytes. Raises `ValueError`."""
    tokens = [_byte_token(name, kind in (CONTROL, USER_DEFINED)) for name, kind in zip(names, kinds, strict=True)]
    return Vocabulary(
        tokens, _numbered(names, merges), _controls(names, kinds), kinds, patterns, ignores_merges=ignores_merges
    )


def character_vocabulary(
    names: Sequence[str], kinds: Sequence[int], merges: Sequence[tuple[str, str]], prefix: str, has_bytes: bool = True
) -> Vocabulary:
    """Return a vocabulary whose initial tokens are characters. Raises `ValueError`.

    has_bytes: characters without a token become their bytes.
    """
    tokens = [_character_token(name, kind) for name, kind in zip(names, kinds, strict=True)]
    missing = {bytes([byte]) for byte in range(256)} - {
        token for token, kind in zip(tokens, kinds, strict=True) if kind == BYTE
    }
    if missing and has_bytes:
        raise ValueError(
            f"the vocabulary lacks a token for the byte 0x{min(missing)[0]:02X}; use a file with all 256 byte tokens"
        )
    if b" " not in tokens:
        raise ValueError(f"the vocabulary lacks a token for the space ({SPACE!r}); use a complete tokenizer file")
    # No merge crosses the boundary before a space, so text can be split there.
    inside = [token for token, kind in zip(tokens, kinds, strict=True) if kind == NORMAL and b" " in token.lstrip(b" ")]
    patterns = () if inside else (_WORDS,)
    numbered = _numbered(names, merges)
    return Vocabulary(
        tokens,
        numbered,
        _controls(names, kinds),
        kinds,
        patterns,
        is_characters=True,
        prefix=prefix,
        joins_unknown=not has_bytes,
    )


def _names_and_kinds(metadata: Mapping[str, Any]) -> tuple[list[str], list[int]]:
    names = metadata_list(metadata, "tokenizer.ggml.tokens", str)
    if not names:
        raise ValueError("'tokenizer.ggml.tokens' is empty")
    kinds = metadata_list(metadata, "tokenizer.ggml.token_type", int, [NORMAL] * len(names))
    if len(kinds) != len(names):
        raise ValueError(f"'tokenizer.ggml.token_type' has {len(kinds)} entries for {len(names)} tokens")
    if not any(names):
        raise ValueError("'tokenizer.ggml.tokens' has only empty tokens")
    return names, kinds


def scored_tokens(metadata: Mapping[str, Any]) -> tuple[list[str], list[int], list[float]]:
    """Return the names, types and scores of a GGUF file's tokens. Raises `ValueError`."""
    names, kinds = _names_and_kinds(metadata)
    scores = metadata_list(metadata, "tokenizer.ggml.scores", float)
    if len(scores) != len(names):
        raise ValueError(f"'tokenizer.ggml.scores' has {len(scores)} entries for {len(names)} tokens")
    return names, kinds, scores


def metadata_list(metadata: Mapping[str, Any], key: str, kind: type, default: list[Any] | None = None) -> list[Any]:
    """Return a GGUF entry: a list of a type. Raises `ValueError`."""
    value = metadata.get(key, default)
    if value is None:
        raise ValueError(f"'{key}' is missing")
    if not isinstance(value, list) or not all(type(item) is kind for item in value):
        raise ValueError(f"'{key}' is not a list of {kind.__name__}")
    return value


def _merge_lines(metadata: Mapping[str, Any]) -> list[tuple[str, str]]:
    lines = metadata_list(metadata, "tokenizer.ggml.merges", str, [])
    return [(left, right) for left, _, right in (line.partition(" ") for line in lines)]


def scored_merges(
    names: Sequence[str], kinds: Sequence[int], scores: Sequence[float]
) -> tuple[list[tuple[str, str]], list[int]]:
    """Return the pairs of tokens that form a token, by score, and their ranks.

    Pairs with the same score have the same rank: the first one in a text is merged first.
    """
    normal = {name for name, kind in zip(names, kinds, strict=True) if kind in (NORMAL, USER_DEFINED)}
    results = sorted((token for token, kind in enumerate(kinds) if kind == NORMAL), key=lambda token: -scores[token])
    ranks = {score: rank for rank, score in enumerate(dict.fromkeys(scores[token] for token in results))}
    pairs = [(pair, ranks[scores[token]]) for token in results for pair in _halves(names[token], normal)]
    return [pair for pair, _ in pairs], [rank for _, rank in pairs]


def _halves(name: str, names: set[str]) -> Iterator[tuple[str, str]]:
    for at in range(1, len(name)):
        if name[:at] in names and name[at:] in names:
            yield name[:at], name[at:]


def _numbered(names: Sequence[str], merges: Sequence[tuple[str, str]]) -> list[tuple[int, int, int]]:
    """Return merges as token ids. Raises `ValueError` for a merge of unknown tokens."""
    token_ids: dict[str, int] = {}
    for number, name in enumerate(names):
        if name and token_ids.setdefault(name, number) != number:
            raise ValueError(f"token {name!r} exists twice, as {token_ids[name]} and {number}")
    found = []
    for left, right in merges:
        missing = [part for part in (left, right, left + right) if part not in token_ids]
        if missing:
            merge = f"{left} {right}".strip()
            raise ValueError(f"merge {merge!r} needs the token {missing[0]!r}, which does not exist")
        found.append((token_ids[left], token_ids[right], token_ids[left + right]))
    return found


def _controls(names: Sequence[str], kinds: Sequence[int]) -> dict[str, int]:
    return {name: number for number, (name, kind) in enumerate(zip(names, kinds, strict=True)) if kind == CONTROL}


def _byte_letters() -> dict[str, int]:
    """Return GPT-2's mapping of letters to bytes.

    Printable bytes map to themselves, other bytes to letters from U+0100 on.
    """
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    unprintable = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + i): byte for i, byte in enumerate(unprintable)}


# Bytes by the letters that represent them in names of tokens.
BYTE_LETTERS = _byte_letters()


def _byte_token(name: str, is_literal: bool) -> bytes:
    """Return the bytes of a token.

    Control and user-defined tokens are stored as plain text.
    """
    if is_literal or any(letter not in BYTE_LETTERS for letter in name):
        return name.encode()
    return bytes(BYTE_LETTERS[letter] for letter in name)


def _character_token(name: str, kind: int) -> bytes:
    """Return the bytes of a token; a token such as <0x0A> is one byte."""
    if kind == BYTE:
        return bytes([int(name.removeprefix("<0x").removesuffix(">"), 16)])
    return name.replace(SPACE, " ").encode()
