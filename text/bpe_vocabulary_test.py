"""Tests of generating tables from byte-pair vocabularies, and of the errors."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from text.generate import bpe
from text.generate.bpe_vocabulary import USER_DEFINED, read_vocabulary
from text.generate.normalizers import Charsmap, Spaces
from text.generate.sentencepiece_model import BPE, SentencePieceModel, byte_pair_vocabulary

_TEMPLATE = "{% for m in messages %}<{{ m['role'] }}>{{ m['content'] }}</>{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}"


def _gguf_metadata(**changes: Any) -> dict[str, Any]:
    tokens = ["</>", "a", "b", "Ġ", "ab", "Ġab", "é", "ÃĦ"]
    return {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "smollm",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": [3] + [1] * (len(tokens) - 1),
        "tokenizer.ggml.merges": ["a b", "Ġ ab"],
        "tokenizer.ggml.eos_token_id": 0,
        "tokenizer.chat_template": _TEMPLATE,
    } | {f"tokenizer.ggml.{name}": value for name, value in changes.items()}


def test_byte_letters_decode_to_their_bytes() -> None:
    vocabulary = read_vocabulary(_gguf_metadata())
    assert vocabulary.tokens == [b"</>", b"a", b"b", b" ", b"ab", b" ab", b"\xe9", "Ä".encode()]
    assert vocabulary.merges == [(1, 2, 4), (3, 4, 5)]
    assert vocabulary.controls == {"</>": 0}


def test_merges_are_sorted_by_left_token() -> None:
    source = bpe.gguf_source(_gguf_metadata(), "small")
    arrays = dict(re.findall(r"uint32_t (\w+)\[\] = \{\n(.*?)\n\};", source, re.DOTALL))
    assert arrays["starts"] == "0,0,1,1,2,2,2,2,2,"
    assert (arrays["rights"], arrays["ranks"], arrays["results"]) == ("2,4,", "0,1,", "4,5,")
    assert "const et_chat_template small_chat = {" in source
    assert "added" not in arrays and "added_starts" not in arrays


def test_user_defined_tokens_split_text_longest_first() -> None:
    tokens = [*_gguf_metadata()["tokenizer.ggml.tokens"], "<t>", "<t>!", "é"]
    metadata = _gguf_metadata(tokens=tokens[:-1], token_type=[3] + [1] * 7 + [4, 4])
    vocabulary = read_vocabulary(metadata)
    assert vocabulary.tokens[8:] == [b"<t>", b"<t>!"] and vocabulary.of_kind(USER_DEFINED) == [8, 9]
    source = bpe.gguf_source(metadata, "small")
    arrays = dict(re.findall(r"uint32_t (\w+)\[\] = \{\n(.*?)\n\};", source, re.DOTALL))
    assert arrays["added"] == "9,8,"
    starts = [int(number) for number in arrays["added_starts"].replace("\n", "").split(",")[:-1]]
    assert len(starts) == 257 and (starts[ord("<")], starts[ord("<") + 1]) == (0, 2)


def test_vocabulary_without_merges_is_accepted() -> None:
    source = bpe.gguf_source(_gguf_metadata(merges=[]), "small")
    assert ".rights = NULL," in source and "rights[]" not in source


_BROKEN: list[tuple[dict[str, Any], str]] = [
    ({"model": "bert"}, r"the tokenizer is of kind 'bert'; supported: 'gpt2' \(byte pairs\), 'llama'"),
    ({"model": ["gpt2"]}, r"the tokenizer is of kind \['gpt2'\]"),
    (
        {"pre": "other"},
        "unknown pre-tokenizer 'other' in 'tokenizer.ggml.pre'; supported: command-r, dbrx, .*, tekken",
    ),
    ({"pre": ["smollm"]}, r"unknown pre-tokenizer \['smollm'\]"),
    ({"merges": ["b a"]}, "merge 'b a' needs the token 'ba', which does not exist"),
    ({"merges": [""]}, "merge '' needs the token '', which does not exist"),
    ({"merges": "a b"}, "'tokenizer.ggml.merges' is not a list of str"),
    ({"merges": [1]}, "'tokenizer.ggml.merges' is not a list of str"),
    ({"tokens": None}, "'tokenizer.ggml.tokens' is missing"),
    ({"tokens": []}, "'tokenizer.ggml.tokens' is empty"),
    ({"tokens": [[]] * 8}, "'tokenizer.ggml.tokens' is not a list of str"),
    ({"tokens": [""], "token_type": [1], "merges": []}, "has only empty tokens"),
    ({"tokens": ["a", "a"], "token_type": [1, 1], "merges": []}, "token 'a' exists twice, as 0 and 1"),
    ({"token_type": [1]}, "'tokenizer.ggml.token_type' has 1 entries for 8 tokens"),
    ({"token_type": [1.0] * 8}, "'tokenizer.ggml.token_type' is not a list of int"),
    ({"eos_token_id": 8}, "'tokenizer.ggml.eos_token_id' is 8, not one of the 8 tokens"),
    ({"eos_token_id": -1}, "'tokenizer.ggml.eos_token_id' is -1, not one of the 8 tokens"),
    ({"eos_token_id": "a"}, "'tokenizer.ggml.eos_token_id' is 'a', not one of the 8 tokens"),
    ({"bos_token_id": True}, "'tokenizer.ggml.bos_token_id' is True, not one of the 8 tokens"),
]


@pytest.mark.parametrize(("changes", "message"), _BROKEN)
def test_invalid_vocabulary_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bpe.gguf_source(_gguf_metadata(**changes), "small")


def test_vocabulary_without_an_end_token_is_refused() -> None:
    metadata = _gguf_metadata(token_type=[1] * 8)
    del metadata["tokenizer.ggml.eos_token_id"]
    with pytest.raises(ValueError, match="no token ends an answer: 'tokenizer.ggml.eos_token_id' is missing"):
        bpe.gguf_source(metadata, "small")


def test_chat_template_file_replaces_that_of_a_gguf_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    template, written = tmp_path / "chat_template.jinja", tmp_path / "s.c"
    monkeypatch.setattr(bpe, "read_metadata", lambda path: _gguf_metadata())
    arguments = ["small.gguf", "", str(template), "small", "//text:small", str(tmp_path / "s.h"), str(written)]
    monkeypatch.setattr("sys.argv", ["bpe", *arguments])
    template.write_text(_TEMPLATE.replace("<assistant>", "<<assistant>>"))
    assert bpe.main() == 0
    assert "<<assistant>>" in written.read_text()
    template.write_text("{{ bos_token + '' }}")
    assert bpe.main() == 1
    assert capsys.readouterr().err.startswith(f"{template}: the chat template cannot be rendered: UndefinedError")


def _model(**options: Any) -> SentencePieceModel:
    names = ["<unk>", "\u2581", "a", "b", "ab", "aab", "<t>"]
    return SentencePieceModel(names, [0.0, -9.0, -9.0, -9.0, -1.0, -1.0, 0.0], [2, 1, 1, 1, 1, 1, 4], BPE, **options)


def test_equal_scores_give_merges_of_the_same_rank() -> None:
    vocabulary = byte_pair_vocabulary(_model())
    assert vocabulary.merges == [(2, 3, 4), (2, 4, 5)]
    assert vocabulary.ranks == [0, 0]
    assert "ranks[] = {\n0,0,\n}" in bpe.source(vocabulary, "small")


def test_characters_without_bytes_are_unknown() -> None:
    source = bpe.source(byte_pair_vocabulary(_model()), "small")
    assert ".joins_unknown = true," in source
    assert re.search(r"\.byte_tokens = \{\n[0,\n]*    \},", source)


def test_options_of_sentencepiece_models_become_steps() -> None:
    vocabulary = byte_pair_vocabulary(_model(remove_extra_whitespaces=False))
    assert vocabulary.steps == (Charsmap({}, (b"<t>",)), Spaces(prefix=True, merges=False))
    assert (vocabulary.normalized, vocabulary.prefix) == ({b"<t>": 6}, "normalizer")
    assert byte_pair_vocabulary(_model(add_dummy_prefix=False)).prefix == ""


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (SentencePieceModel(["<unk>"], [0.0], [2], 1), "the model is of kind 'unigram'; use a model of the kind 'bpe'"),
        (_model(byte_fallback=True), "lacks a token for the byte 0x00; use a file with all 256 byte tokens"),
        (_model(escape_whitespaces=False), "without 'escape_whitespaces' is not supported"),
        (
            SentencePieceModel(["<unk>", "a"], [0.0, 0.0], [2, 5], BPE),
            "the token 1 \\('a'\\) is of the unsupported kind 'unused'",
        ),
        (SentencePieceModel(["<unk>", "a"], [0.0, float("nan")], [2, 1], BPE), "the score of token 1 is nan"),
        (SentencePieceModel(["<unk>", "a"], [0.0, 0.0], [2, 1], BPE), "lacks a token for the space"),
    ],
)
def test_unsupported_byte_pair_model_is_refused(model: SentencePieceModel, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        byte_pair_vocabulary(model)


def test_damaged_vocabulary_is_named_on_standard_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tmp_path / "m.gguf"
    model.write_bytes(b"GGUF\x03\0\0\0")
    monkeypatch.setattr(
        "sys.argv", ["bpe", str(model), "", "", "small", "//text:small", str(tmp_path / "s.h"), str(tmp_path / "s.c")]
    )
    assert bpe.main() == 1
    assert f"{model}: not a valid GGUF file: the tensor count needs 8 bytes" in capsys.readouterr().err
    assert not (tmp_path / "s.h").exists()
