"""Write a WordPiece vocabulary, vocab.txt, as C tables.

    python -m text.generate.vocabulary VOCAB.txt NAME LABEL VOCABULARY.h VOCABULARY.c

The header declares `const et_wordpiece_vocabulary NAME`.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from text.generate.arrays import numbers, offsets
from text.generate.names import header_of, link_name

_HASH, _PRIME = 2166136261, 16777619
_INCLUDES = ("executorch/text/wordpiece.h",)
_CONSTANTS = {"": "et_wordpiece_vocabulary"}
_SOURCE = """\
/* Generated from a vocabulary. */
#include "executorch/text/wordpiece.h"

extern const et_wordpiece_vocabulary {name};

static const char bytes[] = {{
{bytes}}};

static const uint32_t offsets[] = {{
{offsets}}};

static const uint32_t slots[] = {{
{slots}}};

const et_wordpiece_vocabulary {name} = {{
    bytes, offsets, {count}u, slots, {mask}u, {unknown}u, {begin}u, {end}u,
}};
"""


def read_tokens(path: Path) -> list[bytes]:
    """Read the tokens, one per line. Raise `ValueError`."""
    tokens = path.read_bytes().removesuffix(b"\n").split(b"\n")
    tokens = [token.removesuffix(b"\r") for token in tokens]
    if len(set(tokens)) != len(tokens):
        raise ValueError(f"token {_first_repeated(tokens)!r} exists twice")
    return tokens


def _first_repeated(tokens: Sequence[bytes]) -> str:
    repeated = next(token for token, times in Counter(tokens).items() if times > 1)
    return repeated.decode(errors="replace")


def hash_of(token: bytes) -> int:
    """Return the hash of text/wordpiece_hash.h."""
    value = _HASH
    for byte in token:
        value = (value ^ byte) * _PRIME & 0xFFFFFFFF
    return value


def hash_slots(tokens: Sequence[bytes]) -> list[int]:
    """Return an open-addressing hash table of token + 1, with linear probing.

    At most half of the slots are used.
    """
    slots = [0] * (1 << (2 * len(tokens) - 1).bit_length())
    for number, token in enumerate(tokens):
        at = hash_of(token) % len(slots)
        while slots[at]:
            at = (at + 1) % len(slots)
        slots[at] = number + 1
    return slots


def source(tokens: Sequence[bytes], name: str) -> str:
    """Return the C source. Raise `ValueError` if a mandatory token is missing."""
    missing = [token for token in ("[UNK]", "[CLS]", "[SEP]") if token.encode() not in tokens]
    if missing:
        raise ValueError(f"the vocabulary has no {', '.join(missing)}")
    slots = hash_slots(tokens)
    return _SOURCE.format(
        bytes=numbers(byte - 256 if byte > 127 else byte for byte in b"".join(tokens)),
        offsets=numbers(offsets(tokens)),
        slots=numbers(slots),
        name=name,
        count=len(tokens),
        mask=len(slots) - 1,
        unknown=tokens.index(b"[UNK]"),
        begin=tokens.index(b"[CLS]"),
        end=tokens.index(b"[SEP]"),
    )


def main() -> int:
    vocabulary, name, label, header, source_path = sys.argv[1:]
    try:
        text = source(read_tokens(Path(vocabulary)), link_name(name, label))
    except ValueError as error:
        print(f"{vocabulary}: {error}", file=sys.stderr)
        return 1
    Path(header).write_text(header_of(name, label, "a vocabulary", _INCLUDES, _CONSTANTS), encoding="utf-8")
    Path(source_path).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
