"""Construct HTML. Plain strings are escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape


class Markup(str):
    """A string that is already HTML."""


@dataclass(frozen=True)
class Number:
    """A sort key with the text that a table shows for it."""

    value: int | float
    shown: Markup


Cell = str | int | float | Markup


def markup(value: Cell) -> Markup:
    """Return a value as HTML: text is escaped, numbers have digit groups."""
    if isinstance(value, Markup):
        return value
    if isinstance(value, int):
        return Markup(f"{value:,}")
    return Markup(escape(f"{value:,.3f}" if isinstance(value, float) else value))


def element(tag: str, *content: Cell, **attributes: str) -> Markup:
    """Return an HTML element. Write `class_` for the attribute `class`."""
    given = "".join(f' {name.rstrip("_").replace("_", "-")}="{escape(value)}"' for name, value in attributes.items())
    return Markup(f"<{tag}{given}>{''.join(markup(part) for part in content)}</{tag}>")


def joined(parts: Iterable[Cell]) -> Markup:
    return Markup("".join(markup(part) for part in parts))


def table(head: Sequence[str], rows: Iterable[Sequence[Cell | Number]], id_: str = "") -> Markup:
    """Return a table that sorts by column on a click (script.js).

    Numbers are right-aligned.
    """
    body = joined(element("tr", *(_cell(cell) for cell in row)) for row in rows)
    titles = element("tr", *(element("th", title) for title in head))
    attributes = {"id": id_} if id_ else {}
    return element("table", element("thead", titles), element("tbody", body), class_="sortable", **attributes)


def _cell(cell: Cell | Number) -> Markup:
    if isinstance(cell, Number):
        return element("td", cell.shown, class_="number", data_value=str(cell.value))
    if isinstance(cell, (int, float)):
        return element("td", cell, class_="number", data_value=str(cell))
    return element("td", cell)


def section(name: str, title: str, *content: Cell) -> Markup:
    return element("section", element("h2", title), *content, id=name)


def details(summary: Cell, *content: Cell, is_open: bool = False) -> Markup:
    opening = "<details open>" if is_open else "<details>"
    return Markup(f"{opening}<summary>{markup(summary)}</summary>{joined(content)}</details>")


def bar(share: float) -> Markup:
    """Return a bar whose length is a share of the whole."""
    return element("span", element("span", style=f"width:{min(max(share, 0), 1) * 100:.1f}%"), class_="bar")


def size_text(nbytes: int) -> str:
    """Format a size: "9.63 MB"."""
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if nbytes >= factor:
            return f"{nbytes / factor:.3g} {unit}"
    return f"{nbytes} bytes"
