"""Read WordPiece vocabularies from a tokenizer.json of Hugging Face."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from text.generate.bpe_vocabulary import NORMAL, USER_DEFINED
from text.generate.post_processors import read_post_processor
from text.generate.tokenizer_json import names_and_kinds

_PREFIX = "##"
_LONGEST_WORD = 100
# Names of normalizations, by whether accents are removed and whether text becomes lower case.
NORMALIZATIONS = {
    (True, True): "uncased",
    (False, False): "cased",
    (False, True): "lowercase",
    (True, False): "unaccented",
}


@dataclass(frozen=True)
class WordpieceVocabulary:
    """A WordPiece vocabulary.

    tokens: the bytes of each token.
    unknown, begin, end: the tokens [UNK], [CLS] and [SEP].
    hidden: tokens that text cannot contain.
    characters: the name of the normalization of characters.
    """

    tokens: Sequence[bytes]
    unknown: int
    begin: int
    end: int
    hidden: Collection[int] = ()
    characters: str = "uncased"


def wordpiece_vocabulary(tokenizer: Mapping[str, Any]) -> WordpieceVocabulary:
    """Return the WordPiece vocabulary of a tokenizer.json. Raises `ValueError`."""
    try:
        return _read(tokenizer)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise ValueError(f"not a valid tokenizer.json: {type(error).__name__}: {error}") from error


def _read(tokenizer: Mapping[str, Any]) -> WordpieceVocabulary:
    model = tokenizer["model"]
    if model.get("type") != "WordPiece":
        raise ValueError(f"the model is of kind {model.get('type')!r}; use a tokenizer of the kind 'WordPiece'")
    for option, expected in (("continuing_subword_prefix", _PREFIX), ("max_input_chars_per_word", _LONGEST_WORD)):
        if model.get(option, expected) != expected:
            raise ValueError(f"'{option}' of the model is {model[option]!r}; supported: {expected!r}")
    names, kinds = names_and_kinds(model, tokenizer.get("added_tokens", []), is_characters=False)
    if USER_DEFINED in kinds:
        name = names[kinds.index(USER_DEFINED)]
        raise ValueError(f"the added token {name!r} is not special; a WordPiece vocabulary can have only special ones")
    if model["unk_token"] not in names:
        raise ValueError(f"the vocabulary has no {model['unk_token']!r}, its 'unk_token'")
    begin, end = _special_tokens(tokenizer.get("post_processor"), names)
    pre_tokenizer = tokenizer.get("pre_tokenizer")
    if pre_tokenizer is None or pre_tokenizer.get("type") != "BertPreTokenizer":
        kind = pre_tokenizer and pre_tokenizer.get("type")
        raise ValueError(f"the pre-tokenizer {kind!r} is not supported; supported: 'BertPreTokenizer'")
    return WordpieceVocabulary(
        tokens=[name.encode() for name in names],
        unknown=names.index(model["unk_token"]),
        begin=begin,
        end=end,
        hidden=frozenset(token for token, kind in enumerate(kinds) if kind != NORMAL),
        characters=_characters(tokenizer.get("normalizer")),
    )


def _special_tokens(post_processor: Mapping[str, Any] | None, names: Sequence[str]) -> tuple[int, int]:
    """Return the tokens before and after a text: by default, [CLS] and [SEP]."""
    if post_processor is None:
        missing = [name for name in ("[CLS]", "[SEP]") if name not in names]
        if missing:
            raise ValueError(f"the vocabulary has no {', '.join(missing)}")
        return names.index("[CLS]"), names.index("[SEP]")
    begin, end = read_post_processor(post_processor, len(names))
    if len(begin) != 1 or len(end) != 1:
        raise ValueError(
            f"the post-processor adds {len(begin)} tokens before a text and {len(end)} after it; one each is supported"
        )
    return begin[0], end[0]


def _characters(normalizer: Mapping[str, Any] | None) -> str:
    if normalizer is None or normalizer.get("type") != "BertNormalizer":
        kind = normalizer and normalizer.get("type")
        raise ValueError(f"the normalizer {kind!r} is not supported; supported: 'BertNormalizer'")
    for option in ("clean_text", "handle_chinese_chars"):
        if not normalizer.get(option, True):
            raise ValueError(f"the normalizer BertNormalizer without '{option}' is not supported")
    lowercases = bool(normalizer.get("lowercase", True))
    strips = normalizer.get("strip_accents")
    return NORMALIZATIONS[lowercases if strips is None else bool(strips), lowercases]
