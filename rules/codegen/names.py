"""Names in generated C, as programmers write them and as the linker sees them."""

from __future__ import annotations

import hashlib

from rules.interface.identifiers import word


def link_prefix(prefix: str, library: str, model: str) -> str:
    """Return the prefix of a model's symbols: `prefix` and a digest of the labels.

    The digest separates labels such as `//a:b_c` and `//a/b:c`, which have the same `prefix`.
    """
    digest = hashlib.sha256(f"{library} {model}".encode()).hexdigest()[:8]
    return f"{prefix}_{digest}"


def header_guard(include: str, library: str) -> str:
    """Return the include guard of a header. It is unique per library."""
    return link_prefix(f"EXECUTORCH_{word(include)}", library, "").upper() + "_"


def c_string(text: str) -> str:
    """Escape `text` for a C string literal."""
    return "".join(c if c.isascii() and c.isprintable() and c not in '"\\?' else _octal_escape(c) for c in text)


def c_comment(text: str) -> str:
    """Escape `text` for a C comment."""
    return text.replace("*/", "* /").replace("/*", "/ *")


def _octal_escape(character: str) -> str:
    """Return each byte as three octal digits, which a following digit cannot extend."""
    return "".join(f"\\{byte:03o}" for byte in character.encode())
