"""Write a small tokenizer.json with the configuration of a published model family.

    python -m text.testing_families FAMILY TOKENIZER.json

The merges are learned from a few words. The families are the keys of `FAMILIES`.
"""

from __future__ import annotations

import collections
import itertools
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from text.generate.bpe_vocabulary import BYTE_LETTERS, SPACE
from text.generate.pretokenizers import DIGIT, GPT2, GPT4O, LLAMA3, QWEN2, TEKKEN
from text.testing_lines import WORDS

_MERGES = 600
_BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
_REPLACE = {"type": "Replace", "pattern": {"String": " "}, "content": SPACE}
_PREPEND = {"type": "Prepend", "prepend": SPACE}


def _split(pattern: str) -> dict[str, Any]:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}


def _sequence(*steps: dict[str, Any]) -> dict[str, Any]:
    return {"type": "Sequence", "pretokenizers": list(steps)}


_DIGITS = {"type": "Digits", "individual_digits": True}
_METASPACE = {"type": "Metaspace", "replacement": SPACE, "prepend_scheme": "first", "split": False}
_NORMALIZER = {"type": "Sequence", "normalizers": [_PREPEND, _REPLACE]}

# Entries of each family's tokenizer.json; `byte_fallback` families have characters as initial tokens. `added_tokens`
# are user-defined tokens, and whether they are found in normalized text.
FAMILIES: dict[str, dict[str, Any]] = {
    "gpt2": {"pre_tokenizer": _BYTE_LEVEL | {"use_regex": True}},
    "granite": {"pre_tokenizer": _sequence(_DIGITS, _BYTE_LEVEL | {"use_regex": True})},
    "llama3": {"pre_tokenizer": _sequence(_split(LLAMA3), _BYTE_LEVEL), "model": {"ignore_merges": True}},
    "mistral_nemo": {"pre_tokenizer": _sequence(_split(TEKKEN), _BYTE_LEVEL), "model": {"ignore_merges": True}},
    "phi4": {"pre_tokenizer": _sequence(_split(GPT4O), _BYTE_LEVEL)},
    "qwen2": {"pre_tokenizer": _sequence(_split(QWEN2), _BYTE_LEVEL), "normalizer": {"type": "NFC"}},
    "olmo": {
        "pre_tokenizer": _BYTE_LEVEL | {"use_regex": True},
        "normalizer": {"type": "NFC"},
        "added_tokens": {"<think>": True, "  ": True, "    ": True},
    },
    "starcoder": {"pre_tokenizer": _sequence(_split(DIGIT), _split(GPT2), _BYTE_LEVEL)},
    "gemma": {
        "normalizer": _REPLACE,
        "pre_tokenizer": {
            "type": "Split",
            "pattern": {"String": " "},
            "behavior": "MergedWithPrevious",
            "invert": False,
        },
        "model": {"byte_fallback": True, "fuse_unk": True, "unk_token": "<unk>"},
    },
    "folded": {
        "normalizer": {
            "type": "Sequence",
            "normalizers": [{"type": "NFKC"}, {"type": "Lowercase"}, _PREPEND, _REPLACE],
        },
        "pre_tokenizer": None,
        "model": {"byte_fallback": True, "fuse_unk": True, "unk_token": "<unk>"},
    },
    "llama2": {
        "normalizer": _NORMALIZER,
        "pre_tokenizer": None,
        "model": {"byte_fallback": True, "fuse_unk": True, "unk_token": "<unk>"},
    },
    "mistral": {
        "normalizer": None,
        "pre_tokenizer": _METASPACE,
        "model": {"byte_fallback": True, "fuse_unk": True, "unk_token": "<unk>"},
    },
}


def tokenizer_json(family: str) -> dict[str, Any]:
    """Return the object of a family's tokenizer.json."""
    config = FAMILIES[family]
    is_characters = config.get("model", {}).get("byte_fallback", False)
    if is_characters:
        words = [SPACE + word for word in WORDS] + [SPACE * 4, "\n\n", *WORDS]
        initial = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
        initial += sorted(set("".join(words)) - {"中"})
    else:
        letters = {byte: letter for letter, byte in BYTE_LETTERS.items()}
        words = ["".join(letters[byte] for byte in word.encode()) for text in WORDS for word in (text, f" {text}")]
        initial = list(BYTE_LETTERS)
    merges = _learned_merges(words)
    names = list(dict.fromkeys([*initial, *(left + right for left, right in merges)]))
    if is_characters:
        merges = _all_halves(names, [left + right for left, right in merges])
    special = ["<unk>", "<s>", "</s>"] if is_characters else ["<|end|>"]
    user_defined = {"<think>": False, "<think>!": False} | config.get("added_tokens", {})
    names = list(dict.fromkeys([*names, *special, *user_defined]))
    added = [_added(names, name, name in special, user_defined.get(name, False)) for name in (*special, *user_defined)]
    model: dict[str, Any] = {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "byte_fallback": False,
        "ignore_merges": False,
    }
    model |= {"vocab": {name: number for number, name in enumerate(names)}, "merges": merges}
    model |= config.get("model", {})
    entries = {"version": "1.0", "added_tokens": added, "normalizer": None, "decoder": None, "post_processor": None}
    return (
        entries
        | {key: value for key, value in config.items() if key not in ("added_tokens", "model")}
        | {"model": model}
    )


def _added(names: Sequence[str], name: str, special: bool, normalized: bool) -> dict[str, Any]:
    options = dict.fromkeys(("single_word", "lstrip", "rstrip"), False)
    return {"id": names.index(name), "content": name, "special": special, "normalized": normalized, **options}


def _learned_merges(words: Iterable[str]) -> list[tuple[str, str]]:
    """Merge the most frequent pair of symbols repeatedly."""
    symbols = [list(word) for word in words]
    merges: list[tuple[str, str]] = []
    while len(merges) < _MERGES:
        pairs = collections.Counter(pair for word in symbols for pair in itertools.pairwise(word))
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        symbols = [_merged(word, best) for word in symbols]
    return merges


def _merged(word: Sequence[str], pair: tuple[str, str]) -> list[str]:
    found: list[str] = []
    at = 0
    while at < len(word):
        size = 2 if tuple(word[at : at + 2]) == pair else 1
        found.append("".join(word[at : at + size]))
        at += size
    return found


def _all_halves(names: Iterable[str], results: Iterable[str]) -> list[tuple[str, str]]:
    """Return the pairs of tokens that form a result, like SentencePiece converters."""
    known = set(names)
    pairs = ((result[:at], result[at:]) for result in dict.fromkeys(results) for at in range(1, len(result)))
    return [pair for pair in pairs if known.issuperset(pair)]


if __name__ == "__main__":
    family, path = sys.argv[1:]
    Path(path).write_text(json.dumps(tokenizer_json(family), ensure_ascii=False), encoding="utf-8")
