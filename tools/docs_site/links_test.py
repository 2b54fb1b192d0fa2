"""Tests that links of the site and of pages are valid, and that the search works."""

import json
import os
import re
import subprocess
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


# Searches as the page "search.html?q=QUERY" does, and prints the titles of the results in order.
_SEARCH = """
const fs = require("fs"), vm = require("vm");
const [folder, query] = process.argv.slice(1);
globalThis.window = globalThis;
globalThis.location = {search: "?" + new URLSearchParams({q: query})};
globalThis.document = {getElementById: () => null};
globalThis.SPHINX_HIGHLIGHT_ENABLED = false;
globalThis._ready = () => {};
for (const name of ["_static/searchtools.js", "_static/language_data.js", "searchindex.js"])
  vm.runInThisContext(fs.readFileSync(`${folder}/${name}`, "utf8"));
const results = vm.runInThisContext("(query) => Search._performSearch(...Search._parseQuery(query))")(query);
console.log(JSON.stringify(results.reverse().map((result) => result[1])));
"""


@pytest.mark.parametrize(
    "query, first",
    [
        ("quantization", ["How quantization works"]),
        ("quantize", ["Quantize a model"]),
        ("memory", ["Memory model"]),
        ("cpu backend", ["CPU backend", "How the CPU backend works"]),
        ("backend", ["CPU backend", "Add a backend"]),
    ],
)
def test_site_search_ranks_titles_by_relevance(query: str, first: list[str]) -> None:
    command = ["node", "-e", _SEARCH, str(_SITE), query]
    titles = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert titles[: len(first)] == first


def _as_list(pages: int | list[int]) -> list[int]:
    return pages if isinstance(pages, list) else [pages]
