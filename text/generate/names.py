"""Names in generated C, as programmers write them and as the linker sees them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence


def link_name(symbol: str, label: str) -> str:
    """Return the linker symbol: `symbol` and a digest of the target's label.

    Two targets may have the same symbol.
    """
    return f"{symbol}_{hashlib.sha256(label.encode()).hexdigest()[:8]}"


def header_of(symbol: str, label: str, origin: str, includes: Sequence[str], constants: dict[str, str]) -> str:
    """Return a header that declares a target's constants.

    `constants` maps name suffixes to C types, such as `{"": "et_bpe_vocabulary", "_chat":
    "et_chat_template"}`.
    """
    linked = link_name(symbol, label)
    guard = f"EXECUTORCH_{linked.upper()}_H_"
    lines = [f"/* Generated from {origin}. Do not edit. */", f"#ifndef {guard}", f"#define {guard}", ""]
    lines += [f'#include "{name}"' for name in includes]
    lines += [
        "",
        "/* Linker symbols contain a digest of the label, so that targets of several packages can be linked together. */",
    ]
    lines += [f"#define {symbol}{suffix} {linked}{suffix}" for suffix in constants]
    lines += ["", "#ifdef __cplusplus", 'extern "C" {', "#endif"]
    lines += [f"extern const {kind} {symbol}{suffix};" for suffix, kind in constants.items()]
    lines += ["#ifdef __cplusplus", "}", "#endif", "", f"#endif /* {guard} */", ""]
    return "\n".join(lines)
