"""Names in generated C: as a programmer writes them, and as the linker sees them."""

from __future__ import annotations

import hashlib
import re


def c_word(name: str) -> str:
    """`name` as a part of a C identifier: one '_' for every run of other characters, none at the ends.

    It stands alone nowhere, so that keywords and macros (`new`, `errno`) need no care.
    """
    return re.sub(r"[\W_]+", "_", name, flags=re.ASCII).strip("_")


def link_prefix(prefix: str, library: str, model: str) -> str:
    """What a model's symbols begin with: `prefix` and a digest of the labels, as `//a:b_c` and `//a/b:c` share `prefix`."""
    digest = hashlib.sha256(f"{library} {model}".encode()).hexdigest()[:8]
    return f"{prefix}_{digest}"


def header_guard(include: str, library: str) -> str:
    """The macro that keeps a header from being read twice, and another header from being taken for it."""
    return link_prefix(f"EXECUTORCH_{c_word(include)}", library, "").upper() + "_"


def c_string(text: str) -> str:
    """`text` within a C string literal."""
    return "".join(c if c.isascii() and c.isprintable() and c not in '"\\?' else _escaped(c) for c in text)


def c_comment(text: str) -> str:
    """`text` within a C comment."""
    return text.replace("*/", "* /").replace("/*", "/ *")


def _escaped(character: str) -> str:
    """Three octal digits a byte, which no character behind them can lengthen."""
    return "".join(f"\\{byte:03o}" for byte in character.encode())
