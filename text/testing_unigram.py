"""Write a small SentencePiece tokenizer configured like a published family.

    python -m text.testing_unigram FAMILY MODEL

The package `sentencepiece` learns the pieces from a few words. MODEL is a SentencePiece model or,
if its name ends with .json or .gguf, a tokenizer.json or a GGUF file. The families are the keys of `MODELS`, `FAMILIES` and
`BYTE_PAIR_MODELS`.
"""

from __future__ import annotations

import base64
import io
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gguf
from sentencepiece import SentencePieceTrainer

from text.generate.bpe_vocabulary import SPACE
from text.generate.sentencepiece_model import SentencePieceModel, read_model
from text.testing_lines import WORDS
from text.testing_sentencepiece import model_bytes

_PIECES = 600
_SENTENCES = [" ".join(WORDS)] * 20 + ["the quick brown fox jumps over the lazy dog and splits words into pieces"] * 20
_LLAMA = {"normalization_rule_name": "identity", "byte_fallback": True, "remove_extra_whitespaces": False}
# Options of the trainer.
MODELS: dict[str, dict[str, Any]] = {
    "t5": {"normalization_rule_name": "nmt_nfkc", "pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1},
    "albert": {
        "normalization_rule_name": "nmt_nfkc_cf",
        "user_defined_symbols": ["[CLS]", "[SEP]", "\u2581\u2581x", "don"],
    },
    "bytes": {
        "normalization_rule_name": "identity",
        "byte_fallback": True,
        "remove_extra_whitespaces": False,
        "split_by_whitespace": False,
    },
    "plain": {"normalization_rule_name": "nfkc", "add_dummy_prefix": False, "remove_extra_whitespaces": False},
}
# The same for byte pairs. The scores of "ties" are rounded, so that many are equal.
BYTE_PAIR_MODELS: dict[str, dict[str, Any]] = {
    "llama2_model": _LLAMA,
    "ties_model": _LLAMA,
    "gemma_model": {
        **_LLAMA,
        "add_dummy_prefix": False,
        "user_defined_symbols": ["<table>", "<t", "\u2581\u2581", "\u2581\u2581\u2581\u2581", "don"],
    },
    "nllb_model": {"normalization_rule_name": "nmt_nfkc"},
    "folded_model": {
        "normalization_rule_name": "nmt_nfkc_cf",
        "byte_fallback": True,
        "split_by_whitespace": False,
        "user_defined_symbols": ["[CLS]", "\u2581\u2581x", "don"],
    },
}


def _kind(name: str, **fields: Any) -> dict[str, Any]:
    return {"type": name, **fields}


def _metaspace(scheme: str, split: bool = True) -> dict[str, Any]:
    return _kind("Metaspace", replacement=SPACE, prepend_scheme=scheme, split=split)


def _replace(content: str, **pattern: str) -> dict[str, Any]:
    return _kind("Replace", pattern=pattern, content=content)


def _normalizers(*steps: dict[str, Any]) -> dict[str, Any]:
    return _kind("Sequence", normalizers=list(steps))


_WORDS = _kind("Sequence", pretokenizers=[_kind("WhitespaceSplit"), _metaspace("always")])
_CHARSMAP = _kind("Precompiled")  # that of the SentencePiece model
_END = _kind("Strip", strip_left=False, strip_right=True)
_SPACES = _replace(" ", Regex=" {2,}")
# The SentencePiece model, the normalizer and the pre-tokenizer of each family's tokenizer.json.
FAMILIES: dict[str, tuple[str, dict[str, Any] | None, dict[str, Any] | None]] = {
    "xlm_roberta": ("t5", _CHARSMAP, _WORDS),
    "t5_json": ("t5", _normalizers(_CHARSMAP, _END, _replace(SPACE, Regex=" {2,}")), _metaspace("first")),
    "albert_json": (
        "albert",
        _normalizers(
            _replace('"', String="``"),
            _replace('"', String="''"),
            _kind("NFKD"),
            _kind("StripAccents"),
            _kind("Lowercase"),
            _CHARSMAP,
        ),
        _WORDS,
    ),
    "deberta": (
        "albert",
        _normalizers(_kind("Lowercase"), _kind("Strip", strip_left=True, strip_right=True), _CHARSMAP, _SPACES),
        _metaspace("always"),
    ),
    "bytes_json": ("bytes", None, _metaspace("first", split=False)),
    "nfc": ("t5", _normalizers(_kind("NFC"), _kind("Nmt"), _SPACES), _metaspace("first", split=False)),
    "nfkc": ("t5", _kind("NFKC"), _metaspace("never")),
    "nfd": ("t5", _normalizers(_kind("NFD"), _kind("Prepend", prepend=SPACE)), None),
}


def train(name: str) -> bytes:
    """Return the model with a name of `MODELS` or `BYTE_PAIR_MODELS`."""
    out = io.BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=iter(_SENTENCES),
        model_writer=out,
        model_type="bpe" if name in BYTE_PAIR_MODELS else "unigram",
        vocab_size=_PIECES,
        hard_vocab_limit=False,
        character_coverage=0.998,
        num_threads=1,
        minloglevel=2,
        **(MODELS | BYTE_PAIR_MODELS)[name],
    )
    return _with_ties(out.getvalue()) if name == "ties_model" else out.getvalue()


def _with_ties(data: bytes) -> bytes:
    """Return a Llama 2 model with rounded scores."""
    model = read_model(data)
    scores = [score // 40 for score in model.scores]
    return model_bytes(
        zip(model.names, scores, model.kinds, strict=True), trainer=b"\x18\x02\x98\x02\x01", normalizer=b"\x20\x00"
    )


def tokenizer_json(family: str) -> dict[str, Any]:
    """Return the tokenizer.json of a family."""
    name, normalizer, pre_tokenizer = FAMILIES[family]
    model = read_model(train(name))
    special = [token for token in ("<pad>", "<unk>", "<s>", "</s>") if token in model.names]
    added = [_added(model.names.index(token), token, special=True) for token in special]
    count = len(model.names)
    added += [_added(count, "<sep>"), _added(count + 1, "<sep>!"), _added(count + 2, "<extra_id_0>", special=True)]
    end = "</s>"
    return {
        "version": "1.0",
        "added_tokens": added,
        "normalizer": _with_charsmap(normalizer, model),
        "pre_tokenizer": pre_tokenizer,
        "post_processor": _kind(
            "TemplateProcessing",
            single=[{"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": end, "type_id": 0}}],
            pair=[{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}],
            special_tokens={end: {"id": end, "ids": [model.names.index(end)], "tokens": [end]}},
        ),
        "decoder": None,
        "model": {
            "type": "Unigram",
            "unk_id": model.names.index("<unk>"),
            "vocab": [[piece, score] for piece, score in zip(model.names, model.scores, strict=True)],
            "byte_fallback": model.byte_fallback,
        },
    }


def _added(number: int, content: str, special: bool = False) -> dict[str, Any]:
    options = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": number, "content": content, "special": special, **options}


def _with_charsmap(step: Mapping[str, Any] | None, model: SentencePieceModel) -> dict[str, Any] | None:
    """Return a normalizer with the charsmap of a model."""
    if step is None:
        return None
    if step["type"] == "Sequence":
        return {**step, "normalizers": [_with_charsmap(each, model) for each in step["normalizers"]]}
    charsmap = {"precompiled_charsmap": base64.b64encode(model.charsmap).decode()}
    return {**step, **(charsmap if step["type"] == "Precompiled" else {})}


def write_gguf(data: bytes, path: str) -> None:
    """Write a model as a GGUF file without tensors."""
    model = read_model(data)
    writer = gguf.GGUFWriter(path, "t5")
    writer.add_tokenizer_model("t5")
    writer.add_token_list(model.names)
    writer.add_token_scores(model.scores)
    writer.add_token_types(model.kinds)
    writer.add_add_space_prefix(model.add_dummy_prefix)
    writer.add_remove_extra_whitespaces(model.remove_extra_whitespaces)
    writer.add_precompiled_charsmap(model.charsmap)
    writer.add_eos_token_id(model.names.index("</s>"))
    for step in (writer.write_header_to_file, writer.write_kv_data_to_file, writer.close):
        step()


if __name__ == "__main__":
    family, path = sys.argv[1:]
    if path.endswith(".gguf"):
        write_gguf(train(family.removesuffix("_gguf")), path)
    elif path.endswith(".json"):
        Path(path).write_text(json.dumps(tokenizer_json(family)), encoding="utf-8")
    else:
        Path(path).write_bytes(train(family))
