"""Format measurements as text."""

from __future__ import annotations

from benchmarks.xnnpack_programs.comparison import Comparison

_MILLION = 1e6
_COLUMNS = (
    ("ours", 8),
    ("official", 10),
    ("ours of it", 12),
    ("of medians", 12),
    ("load", 8),
    ("official", 10),
    ("memory MB", 11),
    ("official", 10),
    ("stated", 8),
    ("difference", 12),
    ("of", 9),
    ("machine's load", 16),
)
_NAME = 36


def heading(unit: str) -> str:
    """Format the heading. `unit` is "cycles" or "ns"."""
    costs = "millions of cycles" if unit == "cycles" else "ms of processor time"
    return f"{f'cheapest run, {costs}':{_NAME}s}" + "".join(f"{name:>{width}s}" for name, width in _COLUMNS)


def row(found: Comparison) -> str:
    ours, official = found.ours, found.official
    numbers = (
        f"{ours.cost / _MILLION:.2f}",
        f"{official.cost / _MILLION:.2f}",
        f"{found.ratio:.2f}",
        f"{ours.median / official.median:.2f}",
        f"{ours.load / _MILLION:.1f}",
        f"{official.load / _MILLION:.1f}",
        f"{ours.grown / _MILLION:.1f}",
        f"{official.grown / _MILLION:.1f}",
        f"{found.stated / _MILLION:.1f}",
        f"{found.difference:.1e}",
        f"{found.largest:.3g}",
        f"{found.load_average:.0f}",
    )
    return f"{found.name:{_NAME}s}" + "".join(
        f"{number:>{width}s}" for number, (_, width) in zip(numbers, _COLUMNS, strict=True)
    )
