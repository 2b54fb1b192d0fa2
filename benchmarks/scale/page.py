"""Write the table and the plot of benchmarks/scale/README.md."""

from __future__ import annotations

import re
from itertools import groupby

from benchmarks.scale.measure import Phase

_HEAD = """\
| edit | models | actions run | models compiled | cache hits | wall-clock, s | processor, s | worker memory |
|---|---|---|---|---|---|---|---|
"""

_BAR, _GAP, _LABELS, _WIDTH = 14, 10, 290, 420
_COLORS = ("#4c78a8", "#f58518", "#54a24b")


def with_table(page: str, phases: list[Phase]) -> str:
    """Return `page` with the table between its two markers."""
    mark = r"(<!-- table -->\n)(.*?)(<!-- end -->)"
    assert re.search(mark, page, re.DOTALL), "the page has no place for a table"
    return re.sub(mark, lambda match: match[1] + table(phases) + match[3], page, flags=re.DOTALL)


def table(phases: list[Phase]) -> str:
    return _HEAD + "".join(f"| {' | '.join(_cells(phase))} |\n" for phase in _by_edit(phases))


def _cells(phase: Phase) -> tuple[str, ...]:
    memory = f"{phase.worker_megabytes} MB" if phase.worker_megabytes else ""
    counts = (phase.models, phase.ran, phase.compiled, phase.from_cache)
    return (phase.edit, *map(str, counts), f"{phase.seconds:.1f}", f"{phase.processor_seconds:.1f}", memory)


def _by_edit(phases: list[Phase]) -> list[Phase]:
    """Group rows by edit, in the order of the first measurement."""
    edits = list(dict.fromkeys(phase.edit for phase in phases))
    return sorted(phases, key=lambda phase: (edits.index(phase.edit), phase.models))


def plot(phases: list[Phase]) -> str:
    """Draw an SVG bar chart: processor time by edit, one color per number of models."""
    sizes = sorted({phase.models for phase in phases})
    longest = max(phase.processor_seconds for phase in phases)
    rows, y = [], _GAP
    for edit, group in groupby(_by_edit(phases), key=lambda phase: phase.edit):
        rows.append(_text(_LABELS - 8, y + _BAR, edit, "end"))
        for phase in group:
            width = max(1.0, _WIDTH * phase.processor_seconds / longest)
            color = _COLORS[sizes.index(phase.models) % len(_COLORS)]
            rows.append(f'<rect x="{_LABELS}" y="{y}" width="{width:.1f}" height="{_BAR - 2}" fill="{color}"/>')
            label = f"{phase.processor_seconds:.1f} s, {phase.models} models"
            rows.append(_text(_LABELS + width + 5, y + _BAR - 3, label, "start"))
            y += _BAR
        y += _GAP
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{_LABELS + _WIDTH + 150}" height="{y}">'
    background = '<rect width="100%" height="100%" fill="white"/>'
    return "\n".join([head, background, *rows, "</svg>", ""])


def _text(x: float, y: int, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y}" font-family="sans-serif" font-size="11" text-anchor="{anchor}">{text}</text>'
