"""Tests that links of the site and of pages are valid, and that the search works."""

import json
import os
import re
from pathlib import Path

import pytest

from tools.docs_site.links import broken_in_pages, broken_in_site

_SITE = Path(os.environ["DOCS_SITE"])
# The test reads every page of the source tree, because links may point to any file.
_ROOT = Path(os.environ["WORKSPACE_FILE"]).resolve().parent


def _pages() -> dict[str, str]:
    found = {}
    for folder, folders, files in os.walk(_ROOT):
        folders[:] = [name for name in folders if not name.startswith((".", "bazel-"))]
        for name in files:
            if name.endswith(".md"):
                path = Path(folder, name)
                found[str(path.relative_to(_ROOT))] = path.read_text(encoding="utf-8")
    return found


def test_links_of_the_site_resolve() -> None:
    assert list(broken_in_site(_SITE)) == []
    assert (_SITE / "index.html").is_file()


def test_links_of_markdown_pages_resolve() -> None:
    pages = _pages()
    assert "docs/index.md" in pages
    assert list(broken_in_pages(_ROOT, pages)) == []


def test_site_is_self_contained() -> None:
    elsewhere = re.compile(r"<(?:script|link|img)\b[^>]*\b(?:src|href)=\"(?:https?:)?//[^\"]*\"")
    assert [page.name for page in _SITE.rglob("*.html") if elsewhere.search(page.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize("words", [("quantiz",), ("kv", "cach")])
def test_site_search_finds_pages(words: tuple[str, ...]) -> None:
    text = (_SITE / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(text[text.index("{") : text.rindex("}") + 1])
    pages = [set(_as_list(index["terms"][word])) | set(_as_list(index["titleterms"].get(word, []))) for word in words]
    assert set.intersection(*pages)


def _as_list(pages: int | list[int]) -> list[int]:
    return pages if isinstance(pages, list) else [pages]
