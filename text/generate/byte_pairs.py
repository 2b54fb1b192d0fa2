"""Write the vocabulary and the chat template of a GGUF file as C tables.

    python -m text.generate.byte_pairs MODEL.gguf NAME LABEL TABLES.h TABLES.c

The header declares `const et_byte_pair_vocabulary NAME` and `const et_chat_template NAME_chat`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from exir.files.gguf_file import GgufError, read_gguf_file
from text.generate import chat
from text.generate.arrays import numbers, offsets
from text.generate.names import header_of, link_name

_INCLUDES = ("executorch/text/byte_pairs.h", "executorch/text/chat_template.h")
_CONSTANTS = {"": "et_byte_pair_vocabulary", "_chat": "et_chat_template"}
_SOURCE = """\
/* Generated from a GGUF file. */
#include "executorch/text/byte_pairs.h"
#include "executorch/text/chat_template.h"

extern const et_byte_pair_vocabulary {name};
extern const et_chat_template {name}_chat;

#define TEXT(literal) {{literal, sizeof literal - 1, -1}}
#define TOKEN(number) {{"", 0, number}}
#define PARTS(array) {{array, sizeof array / sizeof *array}}

static const char bytes[] = {{
{bytes}}};

{arrays}
const et_byte_pair_vocabulary {name} = {{
    bytes, offsets, {count}u, {tables},
    {{
{singles}    }},
    {sorted}, {words}, {added}, {added_starts},
}};

{chat}
"""

# Word-splitting rules by the file's name for them. The fields are joined, apart, whole_first and
# digits.
_WORDS = {
    "gpt-2": "{false, false, false, 0}",
    "smollm": "{false, true, false, 0}",
    "llama-bpe": "{true, false, true, 3}",
    "qwen2": "{true, false, false, 1}",
}
_WHOLE_FIRST = ("llama-bpe",)
_CONTROL, _USER_DEFINED = 3, 4


@dataclass(frozen=True)
class Vocabulary:
    """The tables of a byte-pair vocabulary.

    `tokens` are bytes by token. `merges` are (left token, right token, result) by priority. `controls` are
    control tokens by name. `added` are user-defined tokens, at which text is split.
    """

    tokens: Sequence[bytes]
    merges: Sequence[tuple[int, int, int]]
    controls: Mapping[str, int]
    added: Sequence[int] = ()


def read_vocabulary(metadata: Mapping[str, Any]) -> Vocabulary:
    """Read the vocabulary from a file's metadata. Raise `ValueError`."""
    model = metadata.get("tokenizer.ggml.model")
    if model != "gpt2":
        raise ValueError(f"the tokenizer is of kind {model!r}; supported: 'gpt2' (byte pairs)")
    names = _list_of(metadata, "tokenizer.ggml.tokens", str)
    if not names:
        raise ValueError("'tokenizer.ggml.tokens' is empty")
    kinds = _list_of(metadata, "tokenizer.ggml.token_type", int, [1] * len(names))
    if len(kinds) != len(names):
        raise ValueError(f"'tokenizer.ggml.token_type' has {len(kinds)} entries for {len(names)} tokens")
    numbered: dict[str, int] = {}
    for number, name in enumerate(names):
        if numbered.setdefault(name, number) != number:
            raise ValueError(f"token {name!r} exists twice, as {numbered[name]} and {number}")
    controls = {name: number for name, number in numbered.items() if kinds[number] == _CONTROL}
    added = [number for number, name in enumerate(names) if kinds[number] == _USER_DEFINED and name]
    merges = [_merge(each, numbered) for each in _list_of(metadata, "tokenizer.ggml.merges", str, [])]
    literal = {_CONTROL, _USER_DEFINED}
    tokens = [_bytes_of(name, kind in literal) for name, kind in zip(names, kinds, strict=True)]
    if not any(tokens):
        raise ValueError("'tokenizer.ggml.tokens' has only empty tokens")
    return Vocabulary(tokens, merges, controls, added)


def _list_of(metadata: Mapping[str, Any], key: str, kind: type, default: list[Any] | None = None) -> list[Any]:
    value = metadata.get(key, default)
    if value is None:
        raise ValueError(f"'{key}' is missing")
    if not isinstance(value, list) or not all(type(each) is kind for each in value):
        raise ValueError(f"'{key}' is not a list of {kind.__name__}")
    return value


def _merge(text: str, numbered: Mapping[str, int]) -> tuple[int, int, int]:
    left, _, right = text.partition(" ")
    missing = [part for part in (left, right, left + right) if part not in numbered]
    if missing:
        raise ValueError(f"merge {text!r} needs the token {missing[0]!r}, which does not exist")
    return numbered[left], numbered[right], numbered[left + right]


def _letters() -> dict[str, int]:
    """Return GPT-2's mapping of letters to bytes.

    Printable bytes map to themselves, other bytes to letters from U+0100 on.
    """
    seen = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(256) if byte not in seen]
    return {chr(byte): byte for byte in seen} | {chr(256 + i): byte for i, byte in enumerate(hidden)}


_LETTERS = _letters()


def _bytes_of(name: str, is_literal: bool) -> bytes:
    """Return the bytes of a token.

    Control and user-defined tokens are stored as plain text.
    """
    if is_literal or any(letter not in _LETTERS for letter in name):
        return name.encode()
    return bytes(_LETTERS[letter] for letter in name)


def source(metadata: Mapping[str, Any], name: str) -> str:
    """Return the C source. Raise `ValueError`."""
    kind = metadata.get("tokenizer.ggml.pre", "gpt-2")
    if not isinstance(kind, str) or kind not in _WORDS:
        raise ValueError(
            f"unknown pre-tokenizer {kind!r} in 'tokenizer.ggml.pre'; supported: {', '.join(sorted(_WORDS))}"
        )
    vocabulary = read_vocabulary(metadata)
    arrays = {"offsets": offsets(vocabulary.tokens), **_merge_tables(vocabulary), **_added_tables(vocabulary)}
    if kind in _WHOLE_FIRST:
        arrays["sorted"] = sorted(range(len(vocabulary.tokens)), key=vocabulary.tokens.__getitem__)

    def reference(table: str) -> str:
        return table if arrays.get(table) else "NULL"

    return _SOURCE.format(
        name=name,
        bytes=numbers(byte - 256 if byte > 127 else byte for byte in b"".join(vocabulary.tokens)),
        arrays="".join(_array(key, values) for key, values in arrays.items() if values),
        count=len(vocabulary.tokens),
        tables=", ".join(map(reference, ("starts", "rights", "ranks", "results"))),
        singles=numbers(_singles(vocabulary)),
        sorted=reference("sorted"),
        words=_WORDS[kind],
        added=reference("added"),
        added_starts=reference("added_starts"),
        chat=chat.source(metadata, vocabulary.controls, f"{name}_chat"),
    )


def _merge_tables(vocabulary: Vocabulary) -> dict[str, list[int]]:
    """Return the merges, sorted by left token, then by right token."""
    ranked = sorted((left, right, rank, result) for rank, (left, right, result) in enumerate(vocabulary.merges))
    starts = [0] * (len(vocabulary.tokens) + 1)
    for left, *_ in ranked:
        starts[left + 1] += 1
    for token in range(len(vocabulary.tokens)):
        starts[token + 1] += starts[token]
    columns = {name: [row[column] for row in ranked] for column, name in ((1, "rights"), (2, "ranks"), (3, "results"))}
    return {"starts": starts, **columns}


def _added_tables(vocabulary: Vocabulary) -> dict[str, list[int]]:
    """Return user-defined tokens by first byte, and the start of each byte's group.

    Within a group, longer tokens come first.
    """
    if not vocabulary.added:
        return {}
    tokens = vocabulary.tokens
    added = sorted(vocabulary.added, key=lambda token: (tokens[token][0], -len(tokens[token]), tokens[token]))
    firsts = [tokens[token][0] for token in added]
    return {"added": added, "added_starts": [sum(first < byte for first in firsts) for byte in range(257)]}


def _singles(vocabulary: Vocabulary) -> Iterable[int]:
    """Return the token of each byte.

    A byte without a token has the number of tokens instead.
    """
    numbered = {token: number for number, token in enumerate(vocabulary.tokens) if len(token) == 1}
    return (numbered.get(bytes([byte]), len(vocabulary.tokens)) for byte in range(256))


def _array(name: str, values: Iterable[int]) -> str:
    return f"static const uint32_t {name}[] = {{\n{numbers(values)}}};\n\n"


def read_metadata(path: Path) -> dict[str, Any]:
    """Return the tokenizer's entries of a GGUF file.

    Raises `ValueError` for a damaged file.
    """
    wanted = ("tokenizer.", "general.architecture")
    try:
        return read_gguf_file(path, lambda key: key.startswith(wanted)).metadata
    except GgufError as error:
        raise ValueError(f"not a valid GGUF file: {error}; download or generate it again") from error


def main() -> int:
    model, name, label, header, source_path = sys.argv[1:]
    try:
        text = source(read_metadata(Path(model)), link_name(name, label))
    except ValueError as error:
        print(f"{model}: {error}", file=sys.stderr)
        return 1
    Path(header).write_text(header_of(name, label, "a GGUF file", _INCLUDES, _CONSTANTS), encoding="utf-8")
    Path(source_path).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
