"""Write a small WordPiece tokenizer with a normalization of BERT.

    python -m text.testing_wordpiece NAME TOKENIZER.json

The names are those of the normalizations: uncased, cased, lowercase and unaccented.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from text.generate.wordpiece_json import NORMALIZATIONS
from text.testing_lines import WORDS

_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def tokenizer_json(name: str) -> dict[str, Any]:
    """Return a tokenizer.json whose pieces are parts of a few words."""
    strips_accents, lowercases = next(key for key, value in NORMALIZATIONS.items() if value == name)
    words = [case for word in WORDS for case in (word, word.lower(), word.upper(), word.title())]
    parts = [word[:size] for word in words for size in (1, 2, 3, 5, len(word))]
    parts += ["##" + word[start : start + size] for word in words for start in range(1, len(word)) for size in (1, 3)]
    pieces = list(dict.fromkeys([*_SPECIAL, *parts]))
    ids = {piece: number for number, piece in enumerate(pieces)}
    return {
        "version": "1.0",
        "added_tokens": [_added(ids[token], token) for token in _SPECIAL],
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            # BERT's own files leave the option open if it equals `lowercase`.
            "strip_accents": None if strips_accents == lowercases else strips_accents,
            "lowercase": lowercases,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "BertProcessing",
            "cls": ["[CLS]", ids["[CLS]"]],
            "sep": ["[SEP]", ids["[SEP]"]],
        },
        "decoder": None,
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": ids,
        },
    }


def _added(number: int, content: str) -> dict[str, Any]:
    options = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": number, "content": content, "special": True, **options}


if __name__ == "__main__":
    name, path = sys.argv[1:]
    Path(path).write_text(json.dumps(tokenizer_json(name)), encoding="utf-8")
