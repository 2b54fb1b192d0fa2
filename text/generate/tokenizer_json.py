"""Read byte-pair vocabularies from a tokenizer.json of Hugging Face."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from text.generate.bpe_vocabulary import (
    BYTE,
    BYTE_NAME,
    CONTROL,
    NORMAL,
    SPACE,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    Vocabulary,
    byte_vocabulary,
    character_vocabulary,
)
from text.generate.normalizers import Prefix, Step, check_prefix, keeps_text, read_normalizer
from text.generate.pretokenizers import json_patterns
from text.generate.template_renderer import TEMPLATE_ADVICE


def read_json(path: Path) -> dict[str, Any]:
    """Return the object in a JSON file. Raises `ValueError`."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not a valid JSON file: {error}") from error
    if not isinstance(found, dict):
        raise ValueError("not a JSON object")
    return found


def read_tokenizer(tokenizer: Mapping[str, Any]) -> Vocabulary:
    """Read the vocabulary of a tokenizer.json. Raises `ValueError`."""
    try:
        return _read(tokenizer)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a valid tokenizer.json: {type(error).__name__}: {error}") from error


def chat_metadata(vocabulary: Vocabulary, config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the chat template of a tokenizer_config.json as entries of a GGUF file.

    Raises `ValueError`.
    """
    metadata: dict[str, Any] = {
        "tokenizer.ggml.tokens": [token.decode(errors="replace") for token in vocabulary.tokens]
    }
    for role in ("bos", "eos"):
        token = config.get(f"{role}_token")
        name = token.get("content") if isinstance(token, dict) else token
        if name is not None and name not in vocabulary.controls:
            raise ValueError(f"'{role}_token' is {name!r}, not a special token of the tokenizer.json")
        if name is not None:
            metadata[f"tokenizer.ggml.{role}_token_id"] = vocabulary.controls[name]
    template = config.get("chat_template")
    if isinstance(template, list):
        template = next((each.get("template") for each in template if each.get("name") == "default"), None)
    if not isinstance(template, str):
        raise ValueError(f"'chat_template' has no default template; {TEMPLATE_ADVICE}")
    return metadata | {"tokenizer.chat_template": template}


def _read(tokenizer: Mapping[str, Any]) -> Vocabulary:
    model = tokenizer["model"]
    if model.get("type", "BPE") != "BPE" or "merges" not in model:
        raise ValueError(f"the model is of kind {model.get('type')!r}; use a tokenizer of the kind 'BPE'")
    _check_options(model)
    is_characters = bool(model.get("byte_fallback"))
    names, kinds = names_and_kinds(model, tokenizer.get("added_tokens", []), is_characters)
    merges = [_merge(each) for each in model["merges"]]
    if is_characters:
        vocabulary = character_vocabulary(names, kinds, merges, _prefix(tokenizer))
    else:
        _check_byte_level(tokenizer)
        patterns = json_patterns(tokenizer["pre_tokenizer"])
        vocabulary = byte_vocabulary(names, kinds, merges, patterns, bool(model.get("ignore_merges")))
    if is_characters and _escapes_spaces(tokenizer):
        return vocabulary
    steps = read_normalizer(tokenizer.get("normalizer"))
    check_prefix(steps, vocabulary.prefix)
    normalized = _normalized_tokens(tokenizer, names, kinds, steps) if steps else {}
    prefix = "normalizer" if Prefix(SPACE) in steps else vocabulary.prefix
    return replace(vocabulary, steps=steps, normalized=normalized, prefix=prefix)


def _normalized_tokens(
    tokenizer: Mapping[str, Any], names: Sequence[str], kinds: Sequence[int], steps: Sequence[Step]
) -> dict[bytes, int]:
    """Return the user-defined tokens that are found in normalized text."""
    found = {}
    for token in tokenizer.get("added_tokens", []):
        name = token["content"]
        if name and kinds[token["id"]] == USER_DEFINED and token.get("normalized", True):
            if not keeps_text(steps, name):
                raise ValueError(
                    f"the added token {name!r} is 'normalized', and the normalizer may change it, which is not supported"
                )
            found[name.encode()] = token["id"]
    return found


def _check_options(model: Mapping[str, Any]) -> None:
    for option in ("continuing_subword_prefix", "end_of_word_suffix", "dropout"):
        if model.get(option):
            raise ValueError(f"'{option}' of the model is not supported")


def names_and_kinds(
    model: Mapping[str, Any], added: Sequence[Mapping[str, Any]], is_characters: bool
) -> tuple[list[str], list[int]]:
    """Return the name and the type of each token; unused ids have empty names."""
    ids = dict(model["vocab"])
    kinds = {name: BYTE if is_characters and BYTE_NAME.fullmatch(name) else NORMAL for name in ids}
    if model.get("unk_token") in ids:
        kinds[model["unk_token"]] = UNKNOWN
    for token in added:
        ids[token["content"]] = token["id"]
        kinds[token["content"]] = _kind_of_added(token, is_characters)
    count = max(ids.values(), default=-1) + 1
    if len(set(ids.values())) != len(ids) or min(ids.values(), default=0) < 0 or count > 4 * len(ids) + 1000:
        raise ValueError("the ids of tokens are not unique and consecutive")
    names = [""] * count
    for name, number in ids.items():
        names[number] = name
    return names, [kinds[name] if name else UNUSED for name in names]


def _kind_of_added(token: Mapping[str, Any], is_characters: bool) -> int:
    if token["special"]:
        return CONTROL
    for option in ("single_word", "lstrip", "rstrip"):
        if token.get(option):
            raise ValueError(f"'{option}' of the added token {token['content']!r} is not supported")
    # The token is found in text before spaces are replaced, so it can match only a literal U+2581.
    return NORMAL if is_characters and SPACE in token["content"] else USER_DEFINED


def _merge(merge: str | Sequence[str]) -> tuple[str, str]:
    parts = merge.split(" ") if isinstance(merge, str) else merge
    if len(parts) != 2:
        raise ValueError(f"merge {merge!r} is not a pair of tokens; download or generate the file again")
    return parts[0], parts[1]


def _steps(step: Mapping[str, Any] | None, key: str) -> Iterator[Mapping[str, Any]]:
    """Yield the steps of a normalizer or pre-tokenizer, which may be a Sequence."""
    if step is not None and step["type"] == "Sequence":
        for each in step[key]:
            yield from _steps(each, key)
    elif step is not None:
        yield step


def _check_byte_level(tokenizer: Mapping[str, Any]) -> None:
    steps = [each["type"] for each in _steps(tokenizer.get("pre_tokenizer"), "pretokenizers")]
    if "ByteLevel" not in steps:
        raise ValueError("the pre-tokenizer has no ByteLevel and the model no 'byte_fallback'; one is required")


def _is_prefix(step: Mapping[str, Any]) -> bool:
    return bool(step["type"] == "Prepend" and step["prepend"] == SPACE)


def _escapes_spaces(tokenizer: Mapping[str, Any]) -> bool:
    """Return whether the normalizer does only what `prefix` of a vocabulary expresses."""
    return all(
        _is_prefix(step)
        or (step["type"] == "Replace" and step["pattern"] == {"String": " "} and step["content"] == SPACE)
        for step in _steps(tokenizer.get("normalizer"), "normalizers")
    )


def _prefix(tokenizer: Mapping[str, Any]) -> str:
    """Return where a space is added, by the normalizer and the pre-tokenizer."""
    steps = _steps(tokenizer.get("normalizer"), "normalizers")
    prefix = "parts" if _escapes_spaces(tokenizer) and any(map(_is_prefix, steps)) else ""
    for step in _steps(tokenizer.get("pre_tokenizer"), "pretokenizers"):
        if step["type"] == "Metaspace":
            prefix = _metaspace_prefix(step)
        elif step["type"] != "Split" or step["pattern"] != {"String": " "}:
            raise ValueError(f"the pre-tokenizer {step['type']!r} is not supported beside 'byte_fallback'")
    return prefix


def _metaspace_prefix(step: Mapping[str, Any]) -> str:
    schemes = {"first": "text", "never": ""}
    scheme = step.get("prepend_scheme")
    if scheme not in schemes or step.get("replacement", SPACE) != SPACE or step.get("split"):
        raise ValueError(f"the pre-tokenizer {dict(step)} is not supported")
    return schemes[scheme]
