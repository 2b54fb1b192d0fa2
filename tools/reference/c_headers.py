"""Read the declarations of C headers, with the comment above each."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from source_code import Declaration, blocks

_COMMENT = re.compile(r"/\*(?P<text>.*?)\*/", re.DOTALL)
_NAMES = (
    re.compile(r"^#define (\w+)"),
    re.compile(r"^(?:typedef .*)?\} (\w+);$", re.MULTILINE),
    re.compile(r"^typedef (?:struct|union|enum) \w+ (\w+);"),
    re.compile(r"^typedef [^;{]*\(\*(\w+)\)"),
    re.compile(r"^typedef [^;{(]*?(\w+);"),
    re.compile(r"^(?:struct|union|enum) (\w+)[ ;]"),
    re.compile(r"^extern const [\w ]+?[ *](\w+)(?:\[.*\])?;"),
    re.compile(r"^(?:[\w]+[ *]+)+?\*?(\w+)\("),
)


@dataclass(frozen=True)
class Header:
    """A header: its path for `#include`, first comment, and declarations."""

    path: str
    comment: str
    declarations: tuple[Declaration, ...]


def read_header(path: Path, include: str) -> Header:
    """Read a header that is included as `include`."""
    text = path.read_text(encoding="utf-8")
    head = _COMMENT.match(text)
    if head is None:
        raise ValueError(f"{path}: does not start with a comment; say what the header is for")
    body = text[head.end() :]
    return Header(include, _plain(head["text"]), tuple(_declarations(body)))


def _declarations(body: str) -> Iterator[Declaration]:
    for block in blocks(body):
        comment = _COMMENT.match(block)
        code = _without_bodies(block[comment.end() :].strip("\n") if comment else block)
        names = tuple(name for part in re.split(r"(?<=[;}])\n(?=\S)", code) if (name := _declared_name(part)))
        if names and not any(name.endswith("_") for name in names):
            yield Declaration(names, _plain(comment["text"]) if comment else "", code)


def _without_bodies(code: str) -> str:
    """Replace inline functions with prototypes."""
    return re.sub(r"^(static inline [^{;]*?)\s*\{\n.*?^\}$", r"\1;", code, flags=re.DOTALL | re.MULTILINE)


def _declared_name(code: str) -> str:
    code = re.sub(r"^(?:#if.*\n)+|^static inline ", "", code.lstrip("\n"))
    for pattern in _NAMES:
        if match := pattern.search(code):
            return match[1]
    return ""


def _plain(comment: str) -> str:
    """Return the text of a comment without its stars."""
    lines = [re.sub(r"^ ?\* ?", "", line.rstrip()) for line in comment.strip().splitlines()]
    return "\n".join(lines).strip()
