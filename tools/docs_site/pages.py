"""Markdown pages of the repository: their headings, anchors and links.

Only the constructs that the pages use are supported: ATX headings, inline links, fenced code
  blocks.
"""

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_FENCE = re.compile(r"^ {0,12}(`{3,}|~{3,})")
_HEADING = re.compile(r"^(#{1,6}) +(.*?)(?: +#+)?$")
_INLINE_CODE = re.compile(r"(`+)(?:.|\n)+?(?<!`)\1(?!`)")
# The text of a link may contain brackets in inline code. Its target does not contain spaces or
# parentheses.
_LINK = re.compile(r"(?P<head>!?\[(?P<text>(?:[^\[\]]|\[[^\[\]]*\])*)\]\()(?P<target>[^()\s]+)\)")
_HTML_ANCHOR = re.compile(r"<a (?:id|name)=\"([^\"]+)\"")
_MARKUP = re.compile(r"[*`]|!?\[([^\]]*)\]\([^)]*\)")


@dataclass(frozen=True)
class Link:
    """A link of a page: its line, its text and its target as written."""

    line: int
    text: str
    target: str


def is_local(target: str) -> bool:
    """Return whether a link's target is in this repository rather than on the web."""
    return not re.match(r"[a-z][a-z0-9+.-]*:", target)


def links(text: str) -> Iterator[Link]:
    """Yield the links of a page, without those in code."""
    prose = _without_code(text)
    for match in _LINK.finditer(prose):
        yield Link(prose.count("\n", 0, match.start()) + 1, match["text"], match["target"])


def replace_links(text: str, replaced: Callable[[str, str, bool], str]) -> str:
    """Return a page with each link replaced by `replaced(text, target, is_image)`."""
    prose = _without_code(text)
    parts, end = [], 0
    for match in _LINK.finditer(prose):
        label = text[match.start("text") : match.end("text")]
        parts += [text[end : match.start()], replaced(label, match["target"], match["head"].startswith("!"))]
        end = match.end()
    return "".join([*parts, text[end:]])


def headings(text: str) -> Iterator[tuple[int, str]]:
    """Yield the level and the text of each heading."""
    for line in _without_fenced(text).splitlines():
        if match := _HEADING.match(line):
            yield len(match[1]), match[2]


def anchors(text: str) -> set[str]:
    """Return the anchors of a page: those of headings, and explicit HTML anchors."""
    found, seen = set(_HTML_ANCHOR.findall(text)), Counter[str]()
    for _, heading in headings(text):
        anchor = slug(heading)
        found.add(f"{anchor}-{seen[anchor]}" if seen[anchor] else anchor)
        seen[anchor] += 1
    return found


def slug(heading: str) -> str:
    """Return a heading's anchor, as GitHub and MyST spell it."""
    plain = _MARKUP.sub(lambda match: match[1] or "", heading)
    return re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")


def resolve(page: str, target: str) -> tuple[str, str]:
    """Return the path in the repository and the anchor that a link of `page` leads to."""
    path, _, anchor = target.partition("#")
    return (posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page), anchor


def _without_fenced(text: str) -> str:
    """Replace fenced code with blanks, and keep the positions of other characters."""
    lines, fence = [], ""
    for line in text.splitlines(keepends=True):
        match = _FENCE.match(line)
        inside = bool(fence)
        if match and not fence:
            fence, inside = match[1], True
        elif match and fence and match[1].startswith(fence) and line.strip() == match[1]:
            fence = ""
        lines.append(re.sub(r"[^\n]", " ", line) if inside else line)
    return "".join(lines)


def _without_code(text: str) -> str:
    """Replace all code with blanks, and keep the positions of other characters."""
    return _INLINE_CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), _without_fenced(text))
