"""Read the public declarations of C++ headers, with the comment above each."""

import re
from collections.abc import Iterator
from pathlib import Path

from c_headers import Header
from source_code import Declaration, blocks, without_bodies

_COMMENT = re.compile(r"(?://.*\n)+")
_NAMESPACE = re.compile(
    r"^namespace executorch \{\n(?P<body>.*)^\}  // namespace executorch$", re.DOTALL | re.MULTILINE
)
_DETAIL = re.compile(r"^namespace detail \{\n.*?^\}  // namespace detail$", re.DOTALL | re.MULTILINE)
_PRIVATE = re.compile(r"\n+ private:\n.*?(?=^\};)", re.DOTALL | re.MULTILINE)
# The condition of an overload, which its comment states in words.
_CONSTRAINT = re.compile(r", detail::\w+<\w+> = 0(?=>)")
_NAMES = (
    re.compile(r"^(?:class|struct) (?:\[\[nodiscard\]\] )?(\w+(?:<\w+>)?) \{", re.MULTILINE),
    re.compile(r"^inline constexpr [\w:]+ (\w+)", re.MULTILINE),
    re.compile(r"(\w+)\("),
)


def read_cpp_header(path: Path, include: str) -> Header:
    """Read a header that is included as `include`.

    Namespace `detail` and private members are omitted.
    """
    text = path.read_text(encoding="utf-8")
    head = _COMMENT.match(text)
    if head is None:
        raise ValueError(f"{path}: does not start with a comment; say what the header is for")
    namespace = _NAMESPACE.search(text)
    body = _DETAIL.sub("", namespace["body"]) if namespace else ""
    return Header(include, _plain(head[0]), tuple(_declarations(body)))


def _declarations(body: str) -> Iterator[Declaration]:
    for block in blocks(body):
        comment = _COMMENT.match(block)
        code = block[comment.end() :] if comment else block
        code = without_bodies(_CONSTRAINT.sub("", _PRIVATE.sub("\n", code)))
        name = next((match[1] for pattern in _NAMES if (match := pattern.search(code))), "")
        if not name:
            raise ValueError(f"no name in this declaration:\n{block}")
        yield Declaration((name,), _plain(comment[0]) if comment else "", code)


def _plain(comment: str) -> str:
    """Return the text of a comment without its slashes."""
    return re.sub(r"^// ?", "", comment, flags=re.MULTILINE).strip()
