"""Writes the vocabulary and chat template of a GGUF file as tables in C.

    python -m text.generate.byte_pairs MODEL.gguf NAME TABLES.h TABLES.c

The header declares `const et_byte_pair_vocabulary NAME` and `const et_chat_template NAME_chat`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from text.generate import chat
from text.generate.arrays import numbers, offsets

_HEADER = """\
/* Generated from a GGUF file. */
#ifndef {guard}
#define {guard}

#include "executorch/text/byte_pairs.h"
#include "executorch/text/chat_template.h"

extern const et_byte_pair_vocabulary {name};
extern const et_chat_template {name}_chat;

#endif /* {guard} */
"""
_SOURCE = """\
/* Generated from a GGUF file. */
#include "{header}"

#define TEXT(literal) {{literal, sizeof literal - 1, -1}}
#define TOKEN(number) {{"", 0, number}}
#define PARTS(array) {{array, sizeof array / sizeof *array}}

static const char bytes[] = {{
{bytes}}};

{arrays}
const et_byte_pair_vocabulary {name} = {{
    bytes, offsets, {count}u, starts, rights, ranks, results,
    {{
{singles}    }},
    {sorted}, {words},
}};

{chat}
"""

# How words are cut, by what the file calls it: joined, apart, whole_first, digits.
_WORDS = {
    "gpt-2": "{false, false, false, 0}",
    "smollm": "{false, true, false, 0}",
    "llama-bpe": "{true, false, true, 3}",
    "qwen2": "{true, false, false, 1}",
}
_WHOLE_FIRST = ("llama-bpe",)
_CONTROL = 3


@dataclass(frozen=True)
class Vocabulary:
    """Tokens as bytes; merges as (left token, right token, result), the first to be done first; names of tokens that control."""

    tokens: Sequence[bytes]
    merges: Sequence[tuple[int, int, int]]
    controls: Mapping[str, int]


def read_vocabulary(metadata: Mapping[str, Any]) -> Vocabulary:
    """That of a file's metadata. Raises `ValueError`."""
    model = metadata.get("tokenizer.ggml.model")
    if model != "gpt2":
        raise ValueError(f"its tokenizer is of kind '{model}'; 'gpt2' (byte pairs) is read")
    names = metadata["tokenizer.ggml.tokens"]
    kinds = metadata["tokenizer.ggml.token_type"]
    numbered = {name: number for number, name in enumerate(names)}
    controls = {name: numbered[name] for name, kind in zip(names, kinds, strict=True) if kind == _CONTROL}
    merges = [_merge(each, numbered) for each in metadata["tokenizer.ggml.merges"]]
    return Vocabulary([_bytes_of(name, name in controls) for name in names], merges, controls)


def _merge(text: str, numbered: Mapping[str, int]) -> tuple[int, int, int]:
    left, _, right = text.partition(" ")
    missing = [part for part in (left, right, left + right) if part not in numbered]
    if missing:
        raise ValueError(f"merge '{text}' needs the token '{missing[0]}', which it has not")
    return numbered[left], numbered[right], numbered[left + right]


def _letters() -> dict[str, int]:
    """Bytes by the letters that stand for them in vocabularies: themselves if they can be seen, else those from U+0100 on."""
    seen = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(256) if byte not in seen]
    return {chr(byte): byte for byte in seen} | {chr(256 + i): byte for i, byte in enumerate(hidden)}


_LETTERS = _letters()


def _bytes_of(name: str, is_control: bool) -> bytes:
    if is_control or any(letter not in _LETTERS for letter in name):
        return name.encode()
    return bytes(_LETTERS[letter] for letter in name)


def source(metadata: Mapping[str, Any], name: str, header: str) -> str:
    """The C file. Raises `ValueError`."""
    kind = metadata.get("tokenizer.ggml.pre", "gpt-2")
    if kind not in _WORDS:
        raise ValueError(f"its words are cut as '{kind}' says; known are {', '.join(sorted(_WORDS))}")
    vocabulary = read_vocabulary(metadata)
    whole = kind in _WHOLE_FIRST
    arrays = {"offsets": offsets(vocabulary.tokens), **_merge_tables(vocabulary)}
    if whole:
        arrays["sorted"] = sorted(range(len(vocabulary.tokens)), key=vocabulary.tokens.__getitem__)
    return _SOURCE.format(
        header=header,
        name=name,
        bytes=numbers(byte - 256 if byte > 127 else byte for byte in b"".join(vocabulary.tokens)),
        arrays="".join(_array(key, values) for key, values in arrays.items()),
        count=len(vocabulary.tokens),
        singles=numbers(_singles(vocabulary)),
        sorted="sorted" if whole else "NULL",
        words=_WORDS[kind],
        chat=chat.source(metadata, vocabulary.controls, f"{name}_chat"),
    )


def _merge_tables(vocabulary: Vocabulary) -> dict[str, list[int]]:
    """Merges by their left token, those of one by their right token."""
    ranked = sorted((left, right, rank, result) for rank, (left, right, result) in enumerate(vocabulary.merges))
    starts = [0] * (len(vocabulary.tokens) + 1)
    for left, *_ in ranked:
        starts[left + 1] += 1
    for token in range(len(vocabulary.tokens)):
        starts[token + 1] += starts[token]
    columns = zip(*(row[1:] for row in ranked), strict=True)
    return {"starts": starts, **dict(zip(("rights", "ranks", "results"), map(list, columns), strict=True))}


def _singles(vocabulary: Vocabulary) -> Iterable[int]:
    """The token of each byte, or the number behind the last one."""
    numbered = {token: number for number, token in enumerate(vocabulary.tokens) if len(token) == 1}
    return (numbered.get(bytes([byte]), len(vocabulary.tokens)) for byte in range(256))


def _array(name: str, values: Iterable[int]) -> str:
    return f"static const uint32_t {name}[] = {{\n{numbers(values)}}};\n\n"


def read_metadata(path: Path) -> dict[str, Any]:
    """What a GGUF file says beside its tensors. Raises `ValueError` for a damaged one."""
    from gguf import GGUFReader

    try:
        fields = GGUFReader(path).fields
    except (ValueError, IndexError, KeyError, OverflowError) as error:
        raise ValueError(f"it is no whole GGUF file ({error}); fetch it, or make it, again") from error
    wanted = ("tokenizer.", "general.architecture")
    return {name: field.contents() for name, field in fields.items() if name.startswith(wanted)}


def main() -> int:
    model, name, header, source_path = sys.argv[1:]
    try:
        text = source(read_metadata(Path(model)), name, Path(header).name)
    except ValueError as error:
        print(f"{model}: {error}", file=sys.stderr)
        return 1
    Path(header).write_text(_HEADER.format(name=name, guard=f"{name.upper()}_TABLES_H_"), encoding="utf-8")
    Path(source_path).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
