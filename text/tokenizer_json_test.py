"""Tests of reading tokenizer.json and tokenizer_config.json, and of the errors."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from text.generate import bpe
from text.generate.bpe_vocabulary import BYTE, CONTROL, NORMAL, USER_DEFINED, read_vocabulary
from text.generate.normalizers import growth, keeps_text, read_normalizer
from text.generate.tokenizer_json import chat_metadata, read_json, read_tokenizer
from text.testing_families import tokenizer_json

_TEMPLATE = "{{ bos_token }}{% for m in messages %}<{{ m.role }}>{{ m.content }}{{ eos_token }}{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}"


def _changed(family: str, **changes: Any) -> dict[str, Any]:
    found = tokenizer_json(family)
    model = found["model"] | {key: value for key, value in changes.items() if key in found["model"] or key == "type"}
    return found | {key: value for key, value in changes.items() if key not in model} | {"model": model}


def test_sentencepiece_scores_give_the_merges_of_a_tokenizer_json() -> None:
    expected = read_tokenizer(tokenizer_json("llama2"))
    entries = tokenizer_json("llama2")
    names = sorted(entries["model"]["vocab"], key=entries["model"]["vocab"].__getitem__)
    order = list(dict.fromkeys(left + right for left, right in entries["model"]["merges"]))
    scores = {name: -float(rank) for rank, name in enumerate(order)}
    found = read_vocabulary(
        {
            "tokenizer.ggml.model": "llama",
            "tokenizer.ggml.tokens": names,
            "tokenizer.ggml.token_type": list(expected.kinds),
            "tokenizer.ggml.scores": [scores.get(name, -1e9) for name in names],
        }
    )
    assert replace(found, ranks=()) == expected
    assert [result for _, _, result in found.merges] == [result for _, _, result in expected.merges]
    assert found.ranks == [order.index(names[result]) for _, _, result in found.merges]
    assert [found.kinds[number] for number in (0, 2, 3, 300)] == [CONTROL, CONTROL, BYTE, NORMAL]
    assert found.tokens[3 + 0xE9] == b"\xe9" and " naïve".encode() in found.tokens


def test_kinds_of_added_tokens() -> None:
    vocabulary = read_tokenizer(tokenizer_json("qwen2"))
    assert set(vocabulary.controls) == {"<|end|>"}
    assert [vocabulary.tokens[token] for token in vocabulary.of_kind(USER_DEFINED)] == [b"<think>", b"<think>!"]


def test_normalized_tokens_are_found_after_normalization() -> None:
    vocabulary = read_tokenizer(tokenizer_json("olmo"))
    assert [vocabulary.tokens[token] for token in vocabulary.normalized.values()] == [b"<think>", b"  ", b"    "]
    assert "normalized_labels[]" in bpe.source(vocabulary, "small")
    assert not read_tokenizer(tokenizer_json("qwen2")).normalized


@pytest.mark.parametrize("family", ["gpt2", "llama2", "mistral"])
def test_tables_without_a_normalizer_have_none(family: str) -> None:
    assert "normalizer" not in bpe.source(read_tokenizer(tokenizer_json(family)), "small")


@pytest.mark.parametrize(
    ("normalizer", "text", "keeps"),
    [
        ({"type": "NFC"}, "<think>", True),
        ({"type": "NFC"}, "\u0301", False),
        ({"type": "NFC"}, "\u1161", False),
        ({"type": "NFD"}, "\uac00", False),
        ({"type": "Lowercase"}, "A", False),
        ({"type": "Replace", "pattern": {"String": "``"}, "content": '"'}, "`a`", True),
        ({"type": "Strip"}, " a", False),
        ({"type": "Prepend", "prepend": "a"}, "a", False),
    ],
)
def test_texts_that_normalizers_keep(normalizer: dict[str, Any], text: str, keeps: bool) -> None:
    assert keeps_text(read_normalizer(normalizer), text) == keeps


@pytest.mark.parametrize(
    ("normalizer", "expected"),
    [
        ({"type": "NFC"}, 3),
        ({"type": "Lowercase"}, 2),
        ({"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}, 3),
        ({"type": "Prepend", "prepend": "ab"}, 3),
        ({"type": "Strip"}, 1),
    ],
)
def test_growth_of_normalized_texts(normalizer: dict[str, Any], expected: int) -> None:
    assert growth(read_normalizer(normalizer)) == expected


def test_text_is_split_before_spaces_unless_a_token_crosses_them() -> None:
    assert read_tokenizer(tokenizer_json("gemma")).patterns
    entries = tokenizer_json("gemma")
    entries["model"]["vocab"]["of\u2581the"] = len(entries["model"]["vocab"])
    assert read_tokenizer(entries).patterns == ()


_BROKEN: list[tuple[dict[str, Any], str]] = [
    (_changed("gpt2", type="Unigram"), "the model is of kind 'Unigram'; use a tokenizer of the kind 'BPE'"),
    (_changed("gpt2", dropout=0.1), "'dropout' of the model is not supported"),
    (_changed("gpt2", vocab={"a": 0, "b": 0}), "the ids of tokens are not unique and consecutive"),
    (_changed("gpt2", vocab={"a": 2**40}), "the ids of tokens are not unique and consecutive"),
    (_changed("gpt2", merges=[["a", "missing"]]), "merge 'a missing' needs the token 'missing'"),
    (_changed("gpt2", merges=["a b c"]), "merge 'a b c' is not a pair of tokens"),
    (_changed("gpt2", normalizer={"type": "BertNormalizer"}), "the normalizer 'BertNormalizer' is not supported"),
    (_changed("olmo", normalizer={"type": "Strip"}), "the added token '  ' is 'normalized', and the normalizer may"),
    (_changed("gpt2", pre_tokenizer=None), "no ByteLevel and the model no 'byte_fallback'"),
    (_changed("gpt2", pre_tokenizer={"type": "ByteLevel", "add_prefix_space": True}), "'add_prefix_space'"),
    (
        _changed(
            "llama3",
            pre_tokenizer={"type": "Sequence", "pretokenizers": [{"type": "Punctuation"}, {"type": "ByteLevel"}]},
        ),
        "the pre-tokenizer 'Punctuation' is not supported; supported: ByteLevel",
    ),
    (_changed("mistral", normalizer={"type": "Strip"}), "'first' of Metaspace is not supported beside the normalizer"),
    (
        _changed("llama2", vocab={"<unk>": 0, "<s>": 1, "</s>": 2}, merges=[]),
        "lacks a token for the byte 0x00; use a file with all 256",
    ),
    (_changed("mistral", pre_tokenizer={"type": "Metaspace", "prepend_scheme": "always"}), "Metaspace"),
    (_changed("mistral", pre_tokenizer={"type": "Digits"}), "the pre-tokenizer 'Digits' is not supported beside"),
    (_changed("gpt2", vocab=3), "not a valid tokenizer.json"),
    ({}, "not a valid tokenizer.json: KeyError: 'model'"),
    ({"model": []}, "not a valid tokenizer.json: AttributeError"),
]


@pytest.mark.parametrize(("entries", "message"), _BROKEN)
def test_invalid_tokenizer_is_refused(entries: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_tokenizer(entries)


def test_added_token_that_strips_text_is_refused() -> None:
    entries = tokenizer_json("gpt2")
    entries["added_tokens"][-1]["lstrip"] = True
    with pytest.raises(ValueError, match="'lstrip' of the added token '<think>!' is not supported"):
        read_tokenizer(entries)


def _run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, config: str, template: str = "") -> int:
    model = tmp_path / "tokenizer.json"
    model.write_text(json.dumps(tokenizer_json("gpt2")))
    arguments = [str(model), config, template, "small", "//text:small", str(tmp_path / "s.h"), str(tmp_path / "s.c")]
    monkeypatch.setattr("sys.argv", ["bpe", *arguments])
    return bpe.main()


def test_chat_template_comes_from_the_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "tokenizer_config.json"
    config.write_text(json.dumps({"eos_token": {"content": "<|end|>"}, "chat_template": _TEMPLATE}))
    assert _run(tmp_path, monkeypatch, str(config)) == 0
    assert "et_chat_template small_chat" in (tmp_path / "s.h").read_text()
    end = read_tokenizer(tokenizer_json("gpt2")).controls["<|end|>"]
    assert f"stops[] = {{{end}}}" in (tmp_path / "s.c").read_text()


def test_chat_template_file_replaces_that_of_the_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config, template = tmp_path / "tokenizer_config.json", tmp_path / "chat_template.jinja"
    template.write_text(_TEMPLATE.replace("<", "<<"))
    for entries in ({"eos_token": "<|end|>"}, {"eos_token": "<|end|>", "chat_template": _TEMPLATE}):
        config.write_text(json.dumps(entries))
        assert _run(tmp_path, monkeypatch, str(config), str(template)) == 0
        assert "<<" in (tmp_path / "s.c").read_text()


def test_invalid_chat_template_files_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    config, template = tmp_path / "tokenizer_config.json", tmp_path / "chat_template.jinja"
    config.write_text(json.dumps({"eos_token": "<|end|>"}))
    for content, with_config, message in (
        (b"{{ messages[", True, "the chat template is not valid"),
        (b"\xff", True, "not UTF-8 text"),
        (_TEMPLATE.encode(), False, "the chat template needs the names of"),
    ):
        template.write_bytes(content)
        assert _run(tmp_path, monkeypatch, str(config) if with_config else "", str(template)) == 1
        assert capsys.readouterr().err.startswith(f"{template}: {message}")


def test_without_a_config_there_is_no_chat_template(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _run(tmp_path, monkeypatch, "") == 0
    assert "_chat" not in (tmp_path / "s.h").read_text()


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"eos_token": "<end>", "chat_template": _TEMPLATE}, "'eos_token' is '<end>', not a special token"),
        (
            {"eos_token": "<|end|>"},
            "'chat_template' has no default template; set 'chat_template' to the chat_template.jinja of the model",
        ),
        (
            {"eos_token": "<|end|>", "chat_template": [{"name": "tools", "template": "x"}]},
            "'chat_template' has no default",
        ),
        ([], "not a JSON object"),
    ],
)
def test_invalid_config_is_refused(
    config: Any, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "tokenizer_config.json"
    path.write_text(json.dumps(config))
    assert _run(tmp_path, monkeypatch, str(path)) == 1
    assert f"{path}: {message}" in capsys.readouterr().err


def test_damaged_json_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    for text in ("{", "[" * 100_000, "[]"):
        path.write_text(text)
        with pytest.raises(ValueError, match="not a"):
            read_json(path)


def test_default_template_of_several_is_used() -> None:
    vocabulary = read_tokenizer(tokenizer_json("gpt2"))
    templates = [{"name": "tools", "template": "x"}, {"name": "default", "template": _TEMPLATE}]
    assert chat_metadata(vocabulary, {"chat_template": templates})["tokenizer.chat_template"] == _TEMPLATE
