"""Tests that the index defines the navigation, and that links point to pages."""

from pathlib import Path

import pytest

from tools.docs_site.links import broken_in_pages, broken_in_site
from tools.docs_site.pages import anchors, links, slug
from tools.docs_site.staging import Group, navigation, rewrite, stage

_INDEX = """# Documentation

See [the rules](reference/rules.md).

## Get started

- [First model](get_started/first.md)

## Links elsewhere

- [The web](https://example.com)

## Reference

- [Rules](reference/rules.md): all of them.
- [Rules again](reference/rules.md#a)
- [Kernels](../kernels/README.md)
"""
_PAGES = {
    "docs/index.md": _INDEX,
    "docs/get_started/first.md": "# First\n\n[rules](../reference/rules.md#a) ![drawing](graph.svg) [code](../../net.py)\n",
    "docs/get_started/graph.svg": "<svg/>",
    "docs/reference/rules.md": "# Rules\n\n## A\n\n[kernels](../../kernels)\n",
    "kernels/README.md": "# Kernels\n\n[first](../docs/get_started/first.md)\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in {**_PAGES, "net.py": ""}.items():
        (tmp_path / "repository" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "repository" / name).write_text(text)
    return tmp_path / "repository"


def test_index_sections_become_sidebar_groups() -> None:
    assert navigation(_INDEX) == (
        Group("Get started", ("docs/get_started/first.md",)),
        Group("Reference", ("docs/reference/rules.md", "kernels/README.md")),
    )


def test_staged_pages_link_to_each_other(root: Path, tmp_path: Path) -> None:
    stage(root, list(_PAGES), "", tmp_path / "staged")
    first = (tmp_path / "staged/get_started/first.md").read_text()
    assert "[rules](../reference/rules.md#a) ![drawing](graph.svg) code (`net.py`)" in first
    assert "(../repository/kernels/README.md)" in (tmp_path / "staged/reference/rules.md").read_text()
    assert "(../../get_started/first.md)" in (tmp_path / "staged/repository/kernels/README.md").read_text()
    assert (
        ":caption: Reference\n\nreference/rules\nrepository/kernels/README\n"
        in (tmp_path / "staged/index.md").read_text()
    )


def test_links_to_other_files_point_to_the_source_host() -> None:
    text = rewrite(
        "docs/a.md", "[`net.py`](../net.py) and `[code](../net.py)`", {"docs/a.md"}, "https://example.com/tree/"
    )
    assert text == "[`net.py`](https://example.com/tree/net.py) and `[code](../net.py)`"
    assert rewrite("docs/a.md", "[`net.py`](../net.py)", {"docs/a.md"}, "") == "`net.py`"


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"docs/other.md": ""}, "docs/index.md: no section lists docs/other.md; add a link to each page"),
        ({"docs/index.md": _INDEX + "- [Gone](gone.md)\n"}, "docs/index.md: docs/gone.md is not in the site's 'srcs'"),
    ],
)
def test_index_lists_exactly_the_pages(root: Path, tmp_path: Path, changed: dict[str, str], error: str) -> None:
    for name, text in changed.items():
        (root / name).write_text(text)
    with pytest.raises(ValueError, match=error):
        stage(root, sorted({*_PAGES, *changed}), "", tmp_path / "staged")


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("Which Python", "which-python"),
        ("`[edge]`: `exir.EdgeCompileConfig`", "edge-exiredgecompileconfig"),
        ("What is *not* there, and why?", "what-is-not-there-and-why"),
        ("See [the `rules`](rules.md)", "see-the-rules"),
        ("fuse_low_bit", "fuse_low_bit"),
    ],
)
def test_heading_anchors_match_github(heading: str, anchor: str) -> None:
    assert slug(heading) == anchor


def test_repeated_headings_are_numbered() -> None:
    assert anchors('# A\n\n## A\n\n```sh\n# B\n```\n<a id="c"></a>\n') == {"a", "a-1", "c"}


def test_links_in_code_are_not_links() -> None:
    text = "`[a](b)` [`x[0]`](one.md)\n\n```c\n[c](d)\n```\n\n~~~\n[e](f)\n~~~\n[two](two.md#x)\n"
    assert [(link.line, link.target) for link in links(text)] == [(1, "one.md"), (10, "two.md#x")]


def test_broken_page_links_are_reported(root: Path) -> None:
    text = "# T\n\n[ok](index.md#reference) [self](#t) [web](https://example.com)\n[gone](gone.md)\n[no](index.md#no) [me](#no)\n"
    (root / "docs/t.md").write_text(text)
    assert list(broken_in_pages(root, {"docs/t.md": text, "docs/index.md": _INDEX})) == [
        "docs/t.md:4: gone.md: no such file",
        "docs/t.md:5: index.md#no: no such heading",
        "docs/t.md:5: #no: no such heading",
    ]


def test_broken_site_links_are_reported(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "index.html").write_text(
        '<a href="sub/a.html#x">ok</a><a href="sub/a.html#y">y</a><a href="b.html">b</a><img src="c.png?v=1"><a href="https://e.org">e</a>'
    )
    (tmp_path / "sub/a.html").write_text('<h1 id="x"></h1><a href="../index.html">up</a><a href="#z">z</a>')
    (tmp_path / "d.css").write_text("")
    assert list(broken_in_site(tmp_path)) == [
        "index.html: sub/a.html#y: no such anchor",
        "index.html: b.html: no such file",
        "index.html: c.png?v=1: no such file",
        "sub/a.html: #z: no such anchor",
    ]
