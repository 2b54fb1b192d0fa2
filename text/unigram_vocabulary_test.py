"""Tests of reading Unigram vocabularies, and of the errors."""

from __future__ import annotations

import base64
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from text.generate import unigram
from text.generate.charsmap import read_charsmap
from text.generate.normalizers import Replacement, read_normalizer
from text.generate.sentencepiece_model import SentencePieceModel, read_model
from text.generate.trie import trie_arrays
from text.generate.unigram_vocabulary import gguf_vocabulary, json_vocabulary, sentencepiece_vocabulary

_SPACE = "\u2581"
_WORDS = {"type": "Metaspace", "replacement": _SPACE, "prepend_scheme": "always"}


def _tokenizer(**changes: Any) -> dict[str, Any]:
    """Return a small tokenizer.json. Changes of the model start with `model_`."""
    vocab = [["<unk>", 0.0], ["</s>", 0.0], [_SPACE, -2.0], ["a", -1.5], [f"{_SPACE}a", -1.0]]
    model: dict[str, Any] = {"type": "Unigram", "unk_id": 0, "vocab": vocab, "byte_fallback": False}
    model |= {key.removeprefix("model_"): value for key, value in changes.items() if key.startswith("model_")}
    added = [{"id": 1, "content": "</s>", "special": True}]
    found = {"model": model, "added_tokens": added, "normalizer": None, "pre_tokenizer": _WORDS}
    return found | {key: value for key, value in changes.items() if not key.startswith("model_")}


def _added(**options: Any) -> list[dict[str, Any]]:
    return [{"id": 5, "content": "<x>", "special": False, "normalized": False, **options}]


def test_special_tokens_are_not_pieces() -> None:
    vocabulary = json_vocabulary(_tokenizer(added_tokens=[*_tokenizer()["added_tokens"], *_added()]))
    assert set(vocabulary.pieces.values()) == {2, 3, 4}
    assert vocabulary.added == [5] and vocabulary.tokens[5] == b"<x>"
    assert vocabulary.tokens[4] == b" a" and vocabulary.unknown_score == -12.0


def test_tokens_of_the_post_processor_surround_a_text() -> None:
    step: dict[str, Any] = {
        "type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "</s>"}}, {"Sequence": {"id": "A"}}, {"SpecialToken": {"id": "</s>"}}],
        "special_tokens": {"</s>": {"ids": [1]}},
    }
    vocabulary = json_vocabulary(_tokenizer(post_processor=step))
    assert (vocabulary.begin, vocabulary.end) == ([1], [1])
    step = {"type": "RobertaProcessing", "cls": ["<unk>", 0], "sep": ["</s>", 1]}
    vocabulary = json_vocabulary(_tokenizer(post_processor=step))
    assert (vocabulary.begin, vocabulary.end) == ([0], [1])


_BROKEN: list[tuple[dict[str, Any], str]] = [
    (_tokenizer(model_type="BPE"), "the model is of kind 'BPE'; use a tokenizer of the kind 'Unigram'"),
    (_tokenizer(model_unk_id=None), "'unk_id' of the model is None"),
    (_tokenizer(model_unk_id=9), "'unk_id' of the model is 9"),
    (_tokenizer(model_vocab=[["a", float("nan")]]), "the score of token 0 is nan"),
    (_tokenizer(model_vocab=[[1, 0.0]]), "'vocab' of the model"),
    (_tokenizer(model_vocab=3), "not a valid tokenizer.json: TypeError"),
    (_tokenizer(model_byte_fallback=True), "no token <0x00>; use a file with all 256 byte tokens"),
    (_tokenizer(added_tokens=_added(lstrip=True)), "'lstrip' of the added token '<x>' is not supported"),
    (_tokenizer(added_tokens=_added(id=3)), "the added token '<x>' has the id of 'a'"),
    (_tokenizer(added_tokens=_added(id=1 << 40)), "the id 1099511627776, which is out of range"),
    (
        _tokenizer(added_tokens=_added(normalized=True), normalizer={"type": "NFC"}),
        "'normalized' of the added token '<x>' is not supported beside a normalizer",
    ),
    (_tokenizer(normalizer={"type": "BertNormalizer"}), "the normalizer 'BertNormalizer' is not supported; supported:"),
    (_tokenizer(normalizer={"type": "Precompiled", "precompiled_charsmap": "!"}), "not in Base64"),
    (_tokenizer(normalizer={"type": "Sequence", "normalizers": [{"type": "Nmt"}] * 13}), "'normalizer' has 13 steps"),
    (_tokenizer(normalizer={"type": "Sequence", "normalizers": [{"type": "Strip"}] * 3}), "has more than 2 steps"),
    (_tokenizer(pre_tokenizer={"type": "Digits"}), "the pre-tokenizer Digits is not supported; supported: Whitespace"),
    (_tokenizer(pre_tokenizer=_WORDS | {"replacement": "_"}), "the replacement '_' of the pre-tokenizer Metaspace"),
    (_tokenizer(pre_tokenizer=_WORDS | {"prepend_scheme": "last"}), "the prepend scheme 'last'"),
    (
        _tokenizer(pre_tokenizer=_WORDS | {"prepend_scheme": "first"}, normalizer={"type": "Strip"}),
        "the prepend scheme 'first' of Metaspace is not supported beside the normalizer Strip",
    ),
    (_tokenizer(post_processor={"type": "Other"}), "the post-processor 'Other' is not supported; supported: Bert"),
    (
        _tokenizer(post_processor={"type": "BertProcessing", "cls": ["", 0], "sep": ["", 9]}),
        "the post-processor adds 9, which is not a token",
    ),
    ({}, "not a valid tokenizer.json: KeyError: 'model'"),
]


@pytest.mark.parametrize(("entries", "message"), _BROKEN)
def test_invalid_unigram_tokenizer_is_refused(entries: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        json_vocabulary(entries)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ({"String": "``"}, Replacement("``", "x")),
        ({"Regex": " {2,}"}, Replacement("  ", "x", repeats=True)),
        ({"Regex": r"\n+"}, Replacement("\n", "x", repeats=True)),
        ({"Regex": "ab{2}"}, Replacement("abb", "x")),
    ],
)
def test_replacements(pattern: dict[str, str], expected: Replacement) -> None:
    assert read_normalizer({"type": "Replace", "pattern": pattern, "content": "x"}) == (expected,)


@pytest.mark.parametrize("pattern", ["[ab]", "a*", "a+b", "a|b", r"\s+", "", "a{99}"])
def test_other_regular_expressions_of_replacements_are_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"the normalizer Replace of"):
        read_normalizer({"type": "Replace", "pattern": {"Regex": pattern}, "content": "x"})


def _model(**options: Any) -> SentencePieceModel:
    return SentencePieceModel(names=["<unk>", "a"], scores=[0.0, -1.0], kinds=[2, 1], **options)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (_model(model_type=2), "the model is of kind 'bpe'; use a model of the kind 'unigram'"),
        (_model(whitespace_is_suffix=True), "'treat_whitespace_as_suffix' of the model is not supported"),
        (_model(escape_whitespaces=False), "without 'escape_whitespaces' is not supported"),
        (_model(byte_fallback=True), "no token <0x00>"),
        (SentencePieceModel(names=["a"], scores=[0.0], kinds=[1]), "the model has 0 unknown tokens"),
        (SentencePieceModel(names=["a"], scores=[0.0], kinds=[7]), "is of the unknown kind 7"),
        (SentencePieceModel(["<unk>", "a", "a"], [0.0] * 3, [2, 1, 1]), "the model has empty or repeated tokens"),
    ],
)
def test_unsupported_sentencepiece_model_is_refused(model: SentencePieceModel, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        sentencepiece_vocabulary(model)


def _gguf_metadata(**changes: Any) -> dict[str, Any]:
    entries = {
        "model": "t5",
        "tokens": ["<unk>", "</s>", _SPACE, "a", "[PAD4]"],
        "scores": [0.0, 0.0, -2.0, -1.5, -10000.0],
        "token_type": [2, 3, 1, 1, 5],
        "add_space_prefix": True,
        "eos_token_id": 1,
    }
    return {f"tokenizer.ggml.{key}": value for key, value in (entries | changes).items()}


def test_gguf_vocabulary_equals_that_of_the_model() -> None:
    model = SentencePieceModel(
        ["<unk>", "</s>", _SPACE, "a", "[PAD4]"],
        [0.0, 0.0, -2.0, -1.5, -10000.0],
        [2, 3, 1, 1, 5],
        remove_extra_whitespaces=False,
    )
    found = gguf_vocabulary(_gguf_metadata())
    assert found == replace(sentencepiece_vocabulary(model), begin=[], end=[1])
    assert gguf_vocabulary(_gguf_metadata(add_eos_token=False)).end == []
    assert gguf_vocabulary(_gguf_metadata(add_bos_token=True, bos_token_id=0)).begin == [0]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model": "llama"}, "the tokenizer is of kind 'llama'; supported: 't5'"),
        ({"scores": [0.0]}, "'tokenizer.ggml.scores' has 1 entries for 5 tokens"),
        ({"eos_token_id": 5}, "'tokenizer.ggml.eos_token_id' is 5, not one of the 5 tokens"),
        ({"precompiled_charsmap": [256]}, "'tokenizer.ggml.precompiled_charsmap' is not a list of bytes"),
        ({"precompiled_charsmap": [-1] * 8}, "the precompiled charsmap is damaged"),
        ({"token_type": [3, 3, 1, 1, 5]}, "the model has 0 unknown tokens"),
    ],
)
def test_unsupported_gguf_vocabulary_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        gguf_vocabulary(_gguf_metadata(**changes))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "it has no pieces"),
        (b"\x0a\x05", "longer than its message"),
        (b"\x0b", "unknown type 3"),
        (b"\xff" * 12, "not complete"),
        (b"\x08\x01", "a field has an integer instead of bytes"),
        (b"\x0a\x03\x0a\x01\xff", "can't decode"),
    ],
)
def test_damaged_sentencepiece_model_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=f"not a valid SentencePiece model: .*{message}"):
        read_model(data)


@pytest.mark.parametrize("data", [b"", struct.pack("<I", 8), struct.pack("<II", 3, 0), struct.pack("<II", 400, 0)])
def test_damaged_charsmap_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="the precompiled charsmap is damaged"):
        read_charsmap(data)


def test_children_of_a_node_are_adjacent_and_sorted() -> None:
    arrays = trie_arrays({b"a": 0, b"ab": 1, b"b": 2, b"ac": 3})
    assert arrays == {
        "first_children": [1, 3, 5, 5, 5, 5],
        "labels": [0, ord("a"), ord("b"), ord("b"), ord("c")],
        "values": [0, 1, 3, 2, 4],
    }


def test_errors_name_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "spiece.model"
    path.write_bytes(base64.b64decode("AAAA"))
    monkeypatch.setattr("sys.argv", ["unigram", str(path), "words", "//a:words", str(tmp_path / "w.h"), "w.c"])
    assert unigram.main() == 1
    assert capsys.readouterr().err.startswith(f"{path}: not a valid SentencePiece model: ")
