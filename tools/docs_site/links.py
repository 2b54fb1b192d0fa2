"""Find broken links in a rendered site and in Markdown pages."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

from tools.docs_site import pages

# Attributes that hold an address, by tag.
_ADDRESSES = {"a": "href", "img": "src", "link": "href", "script": "src", "source": "src"}


class _Page(HTMLParser):
    """The addresses and the anchors of an HTML page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.anchors.update(value for name in ("id", "name") if (value := given.get(name)))
        address = given.get(_ADDRESSES.get(tag, ""))
        if address:
            self.addresses.append(address)


def broken_in_site(site: Path) -> Iterator[str]:
    """Yield a line for each broken internal link of the site."""

    @cache
    def parsed(path: Path) -> _Page:
        return _Page(path.read_text(encoding="utf-8"))

    for path in sorted(site.rglob("*.html")):
        for address in parsed(path).addresses:
            problem = _problem_in_site(path, address, parsed)
            if problem:
                yield f"{path.relative_to(site)}: {address}: {problem}"


def _problem_in_site(path: Path, address: str, parsed: Callable[[Path], _Page]) -> str:
    if not pages.is_local(address) or address.startswith("//"):
        return ""
    file, _, anchor = address.partition("#")
    target = (path.parent / unquote(file.partition("?")[0])).resolve() if file else path
    if target.is_dir():
        target /= "index.html"
    if not target.is_file():
        return "no such file"
    if anchor and target.suffix == ".html" and unquote(anchor) not in parsed(target).anchors:
        return "no such anchor"
    return ""


def broken_in_pages(root: Path, files: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each broken link of the Markdown `files` (path: text)."""
    anchors = cache(lambda path: pages.anchors((root / path).read_text(encoding="utf-8")))
    for file, text in sorted(files.items()):
        for link in pages.links(text):
            if not pages.is_local(link.target):
                continue
            path, anchor = pages.resolve(file, link.target)
            if not (root / path).exists():
                yield f"{file}:{link.line}: {link.target}: no such file"
            elif anchor and path.endswith(".md") and anchor not in anchors(path):
                yield f"{file}:{link.line}: {link.target}: no such heading"
