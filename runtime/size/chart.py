"""Draw the core's size over time.

`tools/python -m runtime.size.chart` reads history.csv and writes docs/how_to/runtime_size.svg.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from runtime.size.measure import ROOT

_HISTORY = Path(__file__).with_name("history.csv")
_WIDTH, _HEIGHT, _LEFT, _TOP, _RIGHT = 820, 300, 60, 40, 200
_LINES = {
    ("x86-64", "texts"): "#1f6fb2",
    ("x86-64", "codes"): "#7fb2dd",
    ("Cortex-M4", "texts"): "#c2571a",
    ("Cortex-M4", "codes"): "#e6a882",
}
_KB = 1024


@dataclass(frozen=True)
class Point:
    """The size of code and constants at a revision, identified by its date."""

    revision: str
    machine: str
    messages: str
    nbytes: int


def read_history(path: Path = _HISTORY) -> list[Point]:
    """Read the points, oldest first."""
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Point(row["revision"], row["machine"], row["messages"], int(row["bytes"])) for row in csv.DictReader(file)
        ]


def chart(points: Sequence[Point]) -> str:
    """Return the chart as an SVG file."""
    revisions = list(dict.fromkeys(point.revision for point in points))
    highest = (max(point.nbytes for point in points) // (10 * _KB) + 1) * 10 * _KB
    parts = [*_axes(revisions, highest)]
    lines = {key: [point for point in points if (point.machine, point.messages) == key] for key in _LINES}
    for key, line in lines.items():
        parts += _line(line, revisions, highest, _LINES[key])
    parts += _names([line[-1] for line in lines.values()], highest)
    content = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT + _TOP + 50}" font-family="sans-serif"'
        f' font-size="12">\n<rect width="100%" height="100%" fill="white"/>\n{content}\n</svg>\n'
    )


def _axes(revisions: Sequence[str], highest: int) -> Iterator[str]:
    yield f'<text x="{_LEFT}" y="20">KB of .text and .rodata of the core with -Os, no kernels</text>'
    for kilobytes in range(0, highest // _KB + 1, 10):
        y = _y(kilobytes * _KB, highest)
        yield f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
        yield f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{kilobytes}</text>'
    for place, revision in enumerate(revisions):
        x = _x(place, len(revisions))
        yield f'<text x="{x:.1f}" y="{_TOP + _HEIGHT + 20}" text-anchor="middle">{revision}</text>'


def _line(points: Sequence[Point], revisions: Sequence[str], highest: int, color: str) -> Iterator[str]:
    positions = [(_x(revisions.index(point.revision), len(revisions)), _y(point.nbytes, highest)) for point in points]
    joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in positions)
    yield f'<polyline points="{joined}" fill="none" stroke="{color}" stroke-width="2"/>'
    for x, y in positions:
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{color}"/>'


def _names(last: Sequence[Point], highest: int) -> Iterator[str]:
    """Label the lines at their right ends, without overlaps."""
    lowest = float("-inf")
    for point in sorted(last, key=lambda end: -end.nbytes):
        lowest = max(_y(point.nbytes, highest) + 4, lowest + 14)
        color = _LINES[(point.machine, point.messages)]
        text = f"{point.nbytes / _KB:.1f} {point.machine}, {point.messages}"
        yield f'<text x="{_WIDTH - _RIGHT:.1f}" y="{lowest:.1f}" fill="{color}">{text}</text>'


def _x(place: int, count: int) -> float:
    return _LEFT + 20 + (_WIDTH - _LEFT - _RIGHT - 40) * place / max(count - 1, 1)


def _y(nbytes: int, highest: int) -> float:
    return _TOP + _HEIGHT * (1 - nbytes / highest)


if __name__ == "__main__":
    (ROOT / "docs" / "how_to" / "runtime_size.svg").write_text(chart(read_history()), encoding="utf-8")
