"""Plot the share of the limit that each side reaches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.latency.sides.side import Missing, require


def draw(records: list[dict[str, Any]], title: str, path: Path) -> None:
    """Plot bars by model and side. Raises `Missing` without matplotlib."""
    records = [record for record in records if any("limit" in side["ratios"] for side in record["sides"].values())]
    if not records:
        raise Missing("the FMA limit was not measured")
    require(("matplotlib",))
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    sides = list(dict.fromkeys(side for record in records for side in record["sides"] if "limit" not in side))
    figure, axes = pyplot.subplots(figsize=(2 + 1.6 * len(records), 4.5), layout="constrained")
    width = 0.8 / len(sides)
    for place, side in enumerate(sides):
        heights = [_share(record, side) for record in records]
        axes.bar([model + (place - len(sides) / 2 + 0.5) * width for model in range(len(records))], heights, width)
    axes.set_xticks(range(len(records)), [record["model"] for record in records])
    axes.set_ylabel("share of the FMA limit")
    axes.set_title(title)
    axes.axhline(1, color="gray", linewidth=0.8)
    axes.legend(sides, fontsize="small")
    figure.savefig(path, dpi=120)


def _share(record: dict[str, Any], side: str) -> float:
    return record["sides"][side]["ratios"]["limit"] if side in record["sides"] else 0.0
