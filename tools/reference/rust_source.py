"""Read the public items of the crate `executorch`, with their doc comments.

The public items are those that lib.rs re-exports; its hidden modules are omitted.
"""

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

from source_code import Declaration, blocks, without_bodies

_REEXPORT = re.compile(
    r"^(?P<attribute>#\[cfg.*\]\n)?pub use (?P<module>\w+)::(?:\{(?P<names>[^}]*)\}|(?P<name>\w+));", re.MULTILINE
)
_ITEM = re.compile(r"^pub (?:struct|enum|trait|type|const|fn) (\w+)", re.MULTILINE)
_IMPL = re.compile(r"^impl(?:<[^<>]*>)? (?P<trait>.* for )?&?(?P<name>\w+)\b[^{\n]*(?= \{)", re.MULTILINE)
_INNER_MODULE = re.compile(r"(?P<attributes>(?:#\[.*\]\n)*)mod \w+ \{\n(?P<body>.*)^\}", re.DOTALL | re.MULTILINE)
_VARIANTS_MACRO = re.compile(
    r"^macro_rules! (?P<name>\w+) \{\n    .* => \{\n(?P<template>.*\$variant,.*?)^    \};\n\}\n\n"
    r"(?P=name)! \{\n(?P<entries>.*?)^\}\n",
    re.DOTALL | re.MULTILINE,
)
_VARIANT = re.compile(r"^ *(?P<comment>///.*)\n *(?P<name>\w+) = .*;\n", re.MULTILINE)
# Attributes that do not matter to callers.
_OMITTED_ATTRIBUTE = re.compile(r"^ *#\[(?:inline|cold)\]\n", re.MULTILINE)


def read_module(folder: Path, name: str) -> Iterator[Declaration]:
    """Yield the public items of a module of the crate, in source order."""
    text = (folder / f"{name}.rs").read_text(encoding="utf-8")
    found = list(_items(_with_variants(text)))
    attributes = exports(folder)[name]
    for block in found:
        item = _ITEM.search(block)
        if item and item[1] in attributes and not _IMPL.search(block):
            comment, code = _split(block)
            impls = [_impl(other) for other in found if _implemented(other) == item[1]]
            code = attributes[item[1]] + _without_private_members(code)
            yield Declaration((item[1],), comment, "\n\n".join([code, *(impl for impl in impls if impl)]))


def exports(folder: Path) -> dict[str, dict[str, str]]:
    """Return the names that lib.rs re-exports from each module.

    Each name has its `cfg` attribute, or an empty string.
    """
    text = (folder / "lib.rs").read_text(encoding="utf-8")
    names: dict[str, dict[str, str]] = {}
    for found in _REEXPORT.finditer(text):
        for name in re.findall(r"\w+", found["names"] or found["name"]):
            names.setdefault(found["module"], {})[name] = found["attribute"] or ""
    return names


def crate_comment(folder: Path) -> str:
    """Return the doc comment of the crate."""
    text = (folder / "lib.rs").read_text(encoding="utf-8")
    return "\n".join(line[3:].strip() for line in text.splitlines() if line.startswith("//!"))


def _with_variants(text: str) -> str:
    """Expand macros that declare an enum with a variant for each line of their call."""

    def enum(macro: re.Match[str]) -> str:
        indent = " " * 12
        variants = "".join(
            f"{indent}{variant['comment']}\n{indent}{variant['name']},\n"
            for variant in _VARIANT.finditer(macro["entries"])
        )
        return textwrap.dedent(re.sub(r" *\$\(.*\$variant,\)\*\n", lambda _: variants, macro["template"]))

    return _VARIANTS_MACRO.sub(enum, text)


def _items(text: str) -> Iterator[str]:
    """Yield the items of a file.

    Items of inner modules have the attributes of their module.
    """
    for block in blocks(text):
        inner = _INNER_MODULE.match(block)
        if inner is None:
            yield block
        elif "cfg(test)" not in inner["attributes"]:
            yield from (inner["attributes"] + part for part in blocks(textwrap.dedent(inner["body"])))


def _split(block: str) -> tuple[str, str]:
    """Return the doc comment of an item as Markdown, and the item without it."""
    lines = block.splitlines()
    comment = [line[4:] for line in lines if line.startswith("///")]
    code = "\n".join(line for line in lines if not line.startswith("///"))
    return "\n".join(comment), _OMITTED_ATTRIBUTE.sub("", code)


def _implemented(block: str) -> str:
    """Return the type of an `impl`.

    For other items, and for private traits, the result is an empty string.
    """
    match = _IMPL.search(block)
    return match["name"] if match and not (match["trait"] or "").startswith("private::") else ""


def _impl(block: str) -> str:
    """Return the public functions of an `impl`.

    For a trait, the result is only the first line; without public functions, an empty string.
    """
    match = _IMPL.search(block)
    if match and match["trait"]:
        return block[: match.end()] + " { … }"
    code = _without_private_members(without_bodies(_OMITTED_ATTRIBUTE.sub("", block)))
    return code if "pub fn" in code else ""


def _without_private_members(code: str) -> str:
    """Omit private fields and functions, and the hidden members of traits."""
    code = re.sub(r"^(pub struct [^({]*)\((?!pub )[^)]*\);", r"\1(/* private fields */);", code, flags=re.MULTILINE)
    is_struct = bool(re.search(r"^pub struct ", code, re.MULTILINE))
    has_public_members = bool(re.search(r"^pub (?:enum|trait) ", code, re.MULTILINE))
    kept: list[str] = []
    member: list[str] = []
    has_private_fields = False
    for line in code.splitlines():
        if line.startswith("    ") or not line:
            member.append(line)
            if re.match(r" {4}[^#/\s].*[,;}]$", line):
                is_hidden = "    #[doc(hidden)]" in member
                if not is_hidden and (has_public_members or _declared(member).startswith("    pub ")):
                    kept += member
                else:
                    has_private_fields = is_struct
                member = []
        else:
            if line == "}" and has_private_fields:
                kept.append("    /* private fields */")
            kept.append(line)
    return re.sub(r"\{\n\n+", "{\n", re.sub(r"\n+(?=\n\})", "", "\n".join(kept)))


def _declared(member: list[str]) -> str:
    """Return the first line of a member after its comments and attributes."""
    return next((line for line in member if re.match(r" {4}[^#/\s]", line)), "")
