"""Tests that damaged tokenizer files give an error or tables with valid indices.

The C functions do not check the tables, so no file may make them read other memory.
"""

from __future__ import annotations

import base64
import json
import math
import random
import re
import struct
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from text.generate import bpe, unigram, vocabulary
from text.testing_families import tokenizer_json
from text.testing_sentencepiece import field_of, model_bytes

_FILES = 400
_TEMPLATE = "{% for m in messages %}<|{{ m['role'] }}|>{{ m['content'] }}</>{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"
_TOKENS = ("</>", "a", "b", "Ġ", "ab", "Ġab", "é", "ÃĦ", "<t>", "<t>!", "<|user|>", "<|assistant|>", "<|system|>")
_TYPES = (3, 1, 1, 1, 1, 1, 1, 1, 4, 4, 3, 3, 3)
_UINT32, _INT32, _STRING, _ARRAY = 4, 5, 8, 9


def _text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def _array(kind: int, items: Sequence[bytes]) -> bytes:
    return struct.pack("<IIQ", _ARRAY, kind, len(items)) + b"".join(items)


def _gguf_file() -> bytes:
    """Return a GGUF file with a tokenizer and no tensors."""
    string = struct.pack("<I", _STRING)
    entries = {
        "general.architecture": string + _text("llama"),
        "tokenizer.ggml.model": string + _text("gpt2"),
        "tokenizer.ggml.pre": string + _text("llama-bpe"),
        "tokenizer.ggml.tokens": _array(_STRING, [_text(token) for token in _TOKENS]),
        "tokenizer.ggml.token_type": _array(_INT32, [struct.pack("<i", kind) for kind in _TYPES]),
        "tokenizer.ggml.merges": _array(_STRING, [_text("a b"), _text("Ġ ab")]),
        "tokenizer.ggml.eos_token_id": struct.pack("<II", _UINT32, 0),
        "tokenizer.chat_template": string + _text(_TEMPLATE),
    }
    head = struct.pack("<4sIQQ", b"GGUF", 3, 0, len(entries))
    return head + b"".join(_text(key) + value for key, value in entries.items())


def _vocabulary_file() -> bytes:
    return "[UNK]\n[CLS]\n[SEP]\na\n##a\nä\nword\n##s\n".encode()


def _charsmap() -> bytes:
    """Return a charsmap that maps "b" to "ab" and "c" to ""."""
    units = [0] * 256
    units[0] = 128 << 10
    for leaf, letter, value in ((1, b"b", 0), (2, b"c", 2)):
        at = 128 ^ letter[0]
        units[at] = (at ^ leaf) << 10 | 1 << 8 | letter[0]
        units[leaf] = 1 << 31 | value
    trie = struct.pack("<256I", *units)
    return struct.pack("<I", len(trie)) + trie + b"ab\0\0"


def _sentencepiece_file(model_type: int) -> bytes:
    pieces = (
        ("<unk>", 0.0, 2),
        ("</s>", 0.0, 3),
        ("\u2581", -2.0, 1),
        ("a", -1.5, 1),
        ("b", -1.5, 1),
        ("\u2581a", -1.0, 1),
        ("\u2581ab", -1.0, 1),
        ("<x>", 0.0, 4),
    )
    return model_bytes(pieces, bytes([0x18, model_type]), field_of(2, _charsmap()))


def _unigram_json() -> dict[str, Any]:
    vocab = [["<unk>", 0.0], ["</s>", 0.0], ["\u2581", -2.0], ["a", -1.5], ["\u2581ab", -1.0]]
    charsmap = {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(_charsmap()).decode()}
    replaced = {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}
    return {
        "added_tokens": [
            {"id": 1, "content": "</s>", "special": True},
            {"id": 5, "content": "<x>", "special": False, "normalized": False},
        ],
        "normalizer": {"type": "Sequence", "normalizers": [charsmap, replaced, {"type": "Strip"}]},
        "pre_tokenizer": {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always"},
        "post_processor": {"type": "BertProcessing", "cls": ["</s>", 1], "sep": ["</s>", 1]},
        "model": {"type": "Unigram", "unk_id": 0, "vocab": vocab},
    }


def _normalizing_bpe_json() -> dict[str, Any]:
    """Return a byte-level tokenizer with a normalizer and a token in normalized text."""
    tokenizer = tokenizer_json("llama3")
    tokenizer["added_tokens"][-1]["normalized"] = True
    return tokenizer | {"normalizer": _unigram_json()["normalizer"]}


def _wordpiece_json() -> dict[str, Any]:
    names = ("[UNK]", "[CLS]", "[SEP]", "a", "##a", "ä", "word", "##s")
    return {
        "added_tokens": [{"id": number, "content": names[number], "special": True} for number in range(3)],
        "normalizer": {"type": "BertNormalizer", "lowercase": False},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "BertProcessing", "cls": ["[CLS]", 1], "sep": ["[SEP]", 2]},
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "vocab": {name: number for number, name in enumerate(names)},
        },
    }


def _damage(content: bytes, draw: random.Random) -> bytes:
    """Change some bytes; sometimes also the length."""
    damaged = bytearray(content)
    for _ in range(draw.randrange(1, 4)):
        place = draw.randrange(len(damaged))
        damaged[place] = draw.choice((damaged[place] ^ 1 << draw.randrange(8), draw.choice(b"\0\xff\x80\n\x09 #")))
    if draw.random() < 0.2:
        del damaged[draw.randrange(len(damaged)) :]
    elif draw.random() < 0.2:
        place = draw.randrange(len(damaged))
        damaged[place:place] = damaged[draw.randrange(len(damaged)) :][:20]
    return bytes(damaged)


def _arrays(source: str) -> dict[str, list[int]]:
    """Return the arrays of integers of a C source."""
    found = re.findall(r"(?:char|uint\d+_t|int64_t) (\w+)\[\] = \{([^}]*)\};", source)
    return {name: [int(item) for item in re.findall(r"-?\d+", text)] for name, text in found}


def _check_ascending(values: list[int], first: int, last: int, count: int) -> None:
    assert len(values) == count and values == sorted(values)
    assert (values[0], values[-1]) == (first, last)


def _check_wordpiece(source: str) -> None:
    arrays = _arrays(source)
    count, mask, *special = (int(number) for number in re.findall(r"(\d+)u", source))
    _check_ascending(arrays["offsets"], 0, len(arrays["bytes"]), count + 1)
    assert mask + 1 == len(arrays["slots"]) and mask & (mask + 1) == 0
    assert 0 in arrays["slots"] and all(0 <= slot <= count for slot in arrays["slots"])
    assert len(special) == 3 and all(token < count for token in special)


def _field(source: str, name: str) -> int:
    (value,) = re.findall(rf"\.{name} = (\d+)", source)
    return int(value)


def _check_bpe(source: str) -> None:
    arrays = _arrays(source)
    count = _field(source, "count")
    (byte_tokens,) = re.findall(r"\.byte_tokens = \{\n([\d,\n]*?)    \},", source)
    merges = arrays.get("rights", [])
    _check_ascending(arrays["offsets"], 0, len(arrays["bytes"]), count + 1)
    _check_ascending(arrays.get("starts", [0] * (count + 1)), 0, len(merges), count + 1)
    assert len(arrays.get("ranks", [])) == len(arrays.get("results", [])) == len(merges)
    assert len(re.findall(r"\d+", byte_tokens)) == 256
    assert all(int(token) <= count for token in re.findall(r"\d+", byte_tokens))
    sizes = [end - start for start, end in zip(arrays["offsets"], arrays["offsets"][1:], strict=False)]
    added = arrays.get("added", [])
    assert all(sizes[token] > 0 for token in added)
    if added:
        _check_ascending(arrays["added_starts"], 0, len(added), 257)
    listed = arrays.get("sorted", [])
    assert len(listed) == len(set(listed)) == _field(source, "sorted_count")
    parts = [int(token) for token in re.findall(r"TOKEN\((-?\d+)\)", source)]
    tokens = [*parts, *arrays.get("stops", []), *merges, *arrays.get("results", []), *listed]
    assert all(0 <= token < count for token in tokens)
    _check_splitters(source, arrays)
    _check_normalizer(arrays)
    if "normalized_labels" in arrays:
        _check_trie(arrays, "normalized", count)


def _check_trie(arrays: dict[str, list[int]], name: str, count: int) -> None:
    """Check a trie whose values are less than `count`."""
    labels, values = arrays[f"{name}_labels"], arrays[f"{name}_values"]
    children = arrays[f"{name}_first_children"]
    assert len(values) == len(labels) == len(children) - 1
    _check_ascending(children, 1, len(labels), len(labels) + 1)
    assert all(node < first for node, first in enumerate(children[:-1]))  # so a search ends
    assert all(0 <= value <= count for value in values)


def _check_unigram(source: str) -> None:
    arrays = _arrays(source)
    count = _field(source, "count")
    _check_ascending(arrays["offsets"], 0, len(arrays["bytes"]), count + 1)
    _check_trie(arrays, "piece", count)
    (scores,) = re.findall(r"scores\[\] = \{([^}]*)\};", source)
    assert all(math.isfinite(float(score)) for score in scores.split(",")[:-1]) and scores.count(",") == count
    assert _field(source, "unknown") < count
    listed = [token for name in ("byte_tokens", "added", "begin", "end") for token in arrays.get(name, ())]
    assert all(0 <= token < count for token in listed) and len(arrays.get("byte_tokens", [0] * 256)) == 256
    if "added" in arrays:
        _check_ascending(arrays["added_starts"], 0, len(arrays["added"]), 257)
        assert all(arrays["offsets"][token] < arrays["offsets"][token + 1] for token in arrays["added"])
    _check_normalizer(arrays)


def _check_normalizer(arrays: dict[str, list[int]]) -> None:
    for name in {name.removesuffix("_labels") for name in arrays if re.fullmatch(r"step_\w+_labels", name)}:
        strings = len(arrays.get(f"{name}_starts", ())) - 1 if not name.endswith("_symbol") else 1
        _check_trie(arrays, name, strings)
    for name in [name.removesuffix("_starts") for name in arrays if re.fullmatch(r"step_\d+_starts", name)]:
        points = len(arrays[f"{name}_points"])
        starts = arrays[f"{name}_starts"]
        assert starts == sorted(starts) and starts[0] == 0 and starts[-1] <= points


def _check_splitters(source: str, arrays: dict[str, list[int]]) -> None:
    classes, starts = _field(source, "class_count"), arrays["range_starts"]
    _check_ascending(starts, 0, starts[-1], _field(source, "range_count"))
    assert len(arrays["range_classes"]) == len(starts) and max(arrays["range_classes"]) < classes
    tables = [cells for name, cells in arrays.items() if name.startswith("cells_")]
    assert len(tables) == _field(source, "splitter_count")
    for cells in tables:
        assert len(cells) % (classes + 1) == 0 and max(cells) // 2 <= len(cells) // (classes + 1)


@pytest.mark.parametrize(
    ("main", "content", "check", "suffix"),
    [
        pytest.param(vocabulary.main, _vocabulary_file(), _check_wordpiece, "txt", id="wordpiece"),
        pytest.param(vocabulary.main, json.dumps(_wordpiece_json()).encode(), _check_wordpiece, "json", id="bert"),
        pytest.param(bpe.main, _gguf_file(), _check_bpe, "gguf", id="bpe"),
        pytest.param(unigram.main, _sentencepiece_file(1), _check_unigram, "model", id="sentencepiece"),
        pytest.param(bpe.main, _sentencepiece_file(2), _check_bpe, "model", id="sentencepiece_bpe"),
        pytest.param(unigram.main, json.dumps(_unigram_json()).encode(), _check_unigram, "json", id="unigram"),
        pytest.param(bpe.main, json.dumps(tokenizer_json("llama3")).encode(), _check_bpe, "json", id="json"),
        pytest.param(bpe.main, json.dumps(_normalizing_bpe_json()).encode(), _check_bpe, "json", id="normalizer"),
    ],
)
def test_damaged_files_give_an_error_or_valid_tables(
    main: Callable[[], int],
    content: bytes,
    check: Callable[[str], None],
    suffix: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path, header, source = (tmp_path / name for name in (f"file.{suffix}", "words.h", "words.c"))
    files = [str(path), "", ""] if main is bpe.main else [str(path)]
    monkeypatch.setattr("sys.argv", ["generate", *files, "words", "//text:words", str(header), str(source)])
    draw = random.Random(6)
    accepted = 0
    for damaged in [content, *(_damage(content, draw) for _ in range(_FILES))]:
        path.write_bytes(damaged)
        source.unlink(missing_ok=True)
        if main() == 0:
            accepted += 1
            check(source.read_text(encoding="utf-8"))
        else:
            assert capsys.readouterr().err.startswith(f"{path}: ")
            assert not source.exists()
    assert 0 < accepted < _FILES
