"""The report page of a program."""

from __future__ import annotations

from pathlib import Path

from executorch_report.html import sections
from executorch_report.html.elements import Markup, element, joined, markup
from executorch_report.html.record import Record

_FOLDER = Path(__file__).parent


def page(record: Record) -> str:
    """Return the page, which loads no other files."""
    methods = record.facts.methods
    parts = [sections.summary(record)]
    for method in methods:
        parts += [
            sections.operators(record, method),
            sections.memory(record, method),
            sections.delegates(record, method),
            sections.graph(record, method),
            sections.weights(record, method),
        ]
    return document(record.title, [*parts, sections.quantization(record)])


def document(title: str, parts: list[Markup]) -> str:
    """Return a page of sections with a list of them at the top."""
    body = joined([element("h1", title), *parts])
    style, script = ((_FOLDER / name).read_text(encoding="utf-8") for name in ("style.css", "script.js"))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{markup(title)}</title>\n<style>\n{style}</style>\n</head>\n"
        f"<body>\n<nav></nav>\n<main>\n{body}\n</main>\n<script>\n{script}</script>\n</body>\n</html>\n"
    )
