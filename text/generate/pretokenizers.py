"""Regular expressions of pre-tokenizers in GGUF files and tokenizer.json.

The expressions are those that the models' authors publish.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_ENDINGS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_SPACES = r"\s*[\r\n]+|\s+(?!\S)|\s+"

DIGIT = r"\p{N}"
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
LLAMA3 = rf"{_ENDINGS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_SPACES}"
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
GPT4O = (
    rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+{_ENDINGS}?|[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*{_ENDINGS}?"
    rf"|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_SPACES}"
)
TEKKEN = GPT4O.replace(f"{_ENDINGS}?", "").replace(r"\p{N}{1,3}", r"\p{N}")
QWEN35 = rf"{_ENDINGS}|[^\r\n\p{{L}}\p{{N}}]?[\p{{L}}\p{{M}}]+|\p{{N}}| ?[^\s\p{{L}}\p{{M}}\p{{N}}]+[\r\n]*|{_SPACES}"

_STARCODER = (DIGIT, GPT2)
# By the name in GGUF's `tokenizer.ggml.pre`.
_GGUF = {
    "command-r": _STARCODER,
    "dbrx": (LLAMA3,),
    "deepseek-r1-qwen": (QWEN2,),
    "falcon3": (LLAMA3,),
    "gpt-2": (GPT2,),
    "gpt-4o": (GPT4O,),
    "lfm2": (LLAMA3,),
    "llama-bpe": (LLAMA3,),
    "llama4": (GPT4O,),
    "mpt": (GPT2,),
    "olmo": (GPT2,),
    "phi-2": (GPT2,),
    "pixtral": (LLAMA3,),
    "qwen2": (QWEN2,),
    "qwen35": (QWEN35,),
    "refact": _STARCODER,
    "smaug-bpe": (LLAMA3,),
    "smollm": _STARCODER,
    "stablelm2": (QWEN2,),
    "starcoder": _STARCODER,
    "tekken": (TEKKEN,),
}
# Tokenizers in which a word that is a token is not merged from bytes.
_IGNORES_MERGES = frozenset({"falcon3", "lfm2", "llama-bpe", "pixtral", "tekken"})
_MOST_SPLITTERS = 8


def gguf_patterns(name: object) -> tuple[tuple[str, ...], bool]:
    """Return the expressions of a GGUF pre-tokenizer, and whether it ignores merges.

    Raises `ValueError` for an unknown name.
    """
    if not isinstance(name, str) or name not in _GGUF:
        raise ValueError(
            f"unknown pre-tokenizer {name!r} in 'tokenizer.ggml.pre'; supported: {', '.join(sorted(_GGUF))}"
        )
    return _GGUF[name], name in _IGNORES_MERGES


def json_patterns(pre_tokenizer: Mapping[str, Any] | None) -> tuple[str, ...]:
    """Return the expressions of the `pre_tokenizer` of a tokenizer.json.

    Raises `ValueError` for an unsupported one.
    """
    found = tuple(_steps(pre_tokenizer))
    if len(found) > _MOST_SPLITTERS:
        raise ValueError(f"'pre_tokenizer' has {len(found)} expressions; at most {_MOST_SPLITTERS} are supported")
    return found


def _steps(step: Mapping[str, Any] | None) -> Sequence[str]:
    if step is None:
        return ()
    kind = step.get("type")
    if kind == "Sequence":
        return [pattern for each in step["pretokenizers"] for pattern in _steps(each)]
    if kind == "ByteLevel":
        if step.get("add_prefix_space"):
            raise ValueError("'add_prefix_space' of the pre-tokenizer ByteLevel is not supported")
        return (GPT2,) if step.get("use_regex", True) else ()
    if kind == "Digits":
        return (DIGIT if step.get("individual_digits") else rf"{DIGIT}+",)
    if kind == "Split":
        return (_split_pattern(step),)
    raise ValueError(
        f"the pre-tokenizer {kind!r} is not supported; supported: ByteLevel, Digits, Sequence, Split with the behavior"
        " Isolated"
    )


def _split_pattern(step: Mapping[str, Any]) -> str:
    behavior, pattern = step.get("behavior"), step["pattern"]
    if "Regex" not in pattern or behavior != "Isolated" or step.get("invert"):
        raise ValueError(f"the pre-tokenizer Split of {pattern} with the behavior {behavior!r} is not supported")
    return pattern["Regex"]
