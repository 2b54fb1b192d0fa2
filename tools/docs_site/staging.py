"""Prepare the documentation for Sphinx: a folder of pages with their navigation.

The pages of `docs/` become the root of the site, and every other Markdown page of the repository is
below `repository/`. The sections of `docs/index.md` are the navigation: each list of links is one
group of the sidebar, so a page that the index does not list is an error.
"""

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from tools.docs_site.pages import headings, is_local, links, replace_links, resolve

_INDEX = "docs/index.md"


@dataclass(frozen=True)
class Group:
    """A group of the sidebar: its title and its pages, by path in the repository."""

    title: str
    pages: tuple[str, ...]


def stage(root: Path, files: Sequence[str], source_url: str, folder: Path) -> None:
    """Write the pages and images of `files`, which are below `root`, to `folder`.

    `source_url` is the address of the repository's files: a link to a file that is not a page of
    the site points there. Without an address, such a file is not linked.
    """
    groups = navigation((root / _INDEX).read_text(encoding="utf-8"))
    pages = [file for file in files if file.endswith(".md")]
    _check_listed(pages, groups)
    for file in files:
        target = folder / site_path(file)
        target.parent.mkdir(parents=True, exist_ok=True)
        if file not in pages:
            target.write_bytes((root / file).read_bytes())
            continue
        text = rewrite(file, (root / file).read_text(encoding="utf-8"), set(files), source_url)
        target.write_text(text + (_toctrees(groups) if file == _INDEX else ""), encoding="utf-8")


def site_path(file: str) -> str:
    """Return the path of a repository file in the site."""
    return file.removeprefix("docs/") if file.startswith("docs/") else f"repository/{file}"


def navigation(index: str) -> tuple[Group, ...]:
    """Return the sidebar's groups: the sections of the index that link to pages."""
    lines = index.splitlines()
    starts = [number for number, line in enumerate(lines) if line.startswith("## ")] + [len(lines)]
    groups = []
    for start, end in pairwise(starts):
        (_, title), *_ = headings(lines[start])
        targets = (link.target for link in links("\n".join(lines[start:end])) if is_local(link.target))
        pages = dict.fromkeys(path for path, _ in (resolve(_INDEX, target) for target in targets))
        groups.append(Group(title, tuple(page for page in pages if page.endswith(".md"))))
    return tuple(group for group in groups if group.pages)


def rewrite(page: str, text: str, files: set[str], source_url: str) -> str:
    """Return a page with links to pages of the site and files of the repository."""

    def replaced(label: str, target: str, is_image: bool) -> str:
        if not is_local(target):
            return f"[{label}]({target})"
        path, anchor = resolve(page, target)
        if path not in files and f"{path}/README.md" in files:
            path = f"{path}/README.md"
        if path in files:
            relative = posixpath.relpath(site_path(path), posixpath.dirname(site_path(page)) or ".")
            return f"{'!' if is_image else ''}[{label}]({relative}{'#' + anchor if anchor else ''})"
        return f"[{label}]({source_url.rstrip('/')}/{path})" if source_url else _named(label, path)

    return replace_links(text, replaced)


def _named(label: str, path: str) -> str:
    """Return the text for a file without an address: its label and its path."""
    return f"`{path}`" if label.strip("`") in (path, path.rsplit("/", 1)[-1]) else f"{label} (`{path}`)"


def _check_listed(pages: Sequence[str], groups: Sequence[Group]) -> None:
    listed = {page for group in groups for page in group.pages}
    missing = sorted(page for page in pages if page not in listed and page != _INDEX)
    unknown = sorted(listed.difference(pages))
    if missing:
        raise ValueError(f"{_INDEX}: no section lists {', '.join(missing)}; add a link to each page")
    if unknown:
        raise ValueError(f"{_INDEX}: {', '.join(unknown)} is not in the site's 'srcs'; add it, or remove the link")


def _toctrees(groups: Sequence[Group]) -> str:
    return "".join(_toctree(group) for group in groups)


def _toctree(group: Group) -> str:
    lines = ["", "```{toctree}", ":hidden:", f":caption: {group.title}", "", *_entries(group), "```", ""]
    return "\n".join(lines)


def _entries(group: Group) -> Iterator[str]:
    for page in group.pages:
        yield site_path(page).removesuffix(".md")
