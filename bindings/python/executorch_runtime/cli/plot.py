"""Plot the latency distribution and the operators of a benchmark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from executorch_report.html.elements import Markup, element, joined
from executorch_runtime.cli.latency import milliseconds
from executorch_runtime.cli.measurement import Measurement

_WIDTH, _HEIGHT, _LEFT, _TOP = 840, 220, 60, 80
_RIGHT = 50
_ROW, _BARS = 22, 10
_COLORS = ("#1f6fb2", "#c2571a")
_LONGEST = 0.99  # quantile at which the time axis ends; outliers would compress the rest


def plot(found: Sequence[Measurement]) -> str:
    """Return an SVG file of one or two measurements."""
    names = list(dict.fromkeys(operator.name for measurement in found for operator in measurement.operators))[:_BARS]
    bars = _TOP + _HEIGHT + 70
    height = bars + len(names) * _ROW + 20
    content = joined([*_legend(found), *_distribution(found), *_operators(found, names, bars)])
    drawn = element(
        "svg",
        element("rect", width="100%", height="100%", fill="white"),
        content,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {_WIDTH} {height}",
        font_family="sans-serif",
        font_size="12",
    )
    return f"{drawn}\n"


def _text_element(x: float, y: float, text: str, **attributes: str) -> Markup:
    return element("text", text, x=f"{x:.1f}", y=f"{y:.1f}", **attributes)


def _legend(found: Sequence[Measurement]) -> Iterator[Markup]:
    for row, (measurement, color) in enumerate(zip(found, _COLORS)):
        median = milliseconds(measurement.latency.quantile(0.5))
        text = f"{measurement.program}: median of {len(measurement.times)} runs {median}; {measurement.cpu}, load {measurement.load:.1f}"
        yield _text_element(_LEFT, 20 + row * 18, text, fill=color)


def _distribution(found: Sequence[Measurement]) -> Iterator[Markup]:
    """Draw the cumulative distribution of run times."""
    yield _text_element(_LEFT, _TOP - 14, "share of runs that took no longer", fill="#555")
    low = min(min(measurement.times) for measurement in found)
    high = max(low + 1, *(measurement.latency.quantile(_LONGEST) for measurement in found))
    wide = _WIDTH - _LEFT - _RIGHT
    for share in (0.0, 0.5, 0.9, 1.0):
        y = _TOP + _HEIGHT * (1 - share)
        yield element("line", x1=str(_LEFT), x2=str(_LEFT + wide), y1=f"{y:.1f}", y2=f"{y:.1f}", stroke="#ddd")
        yield _text_element(_LEFT - 8, y + 4, f"{share:.0%}", text_anchor="end")
    for part in range(5):
        at = low + (high - low) * part / 4
        yield _text_element(_LEFT + wide * part / 4, _TOP + _HEIGHT + 18, milliseconds(at), text_anchor="middle")
    for result, color in zip(found, _COLORS):
        times = [time for time in sorted(result.times) if time <= high]
        points = " ".join(
            f"{_LEFT + wide * (time - low) / (high - low):.1f},{_TOP + _HEIGHT * (1 - (place + 1) / len(result.times)):.1f}"
            for place, time in enumerate(times)
        )
        yield element("polyline", points=points, fill="none", stroke=color, stroke_width="2")


def _operators(found: Sequence[Measurement], names: Sequence[str], top: float) -> Iterator[Markup]:
    """Draw one bar per operator and program."""
    sums = [{operator.name: operator.nanoseconds for operator in measurement.operators} for measurement in found]
    longest = max([1, *(value for measurement in sums for value in measurement.values())])
    yield _text_element(_LEFT, top - 14, "median of a run's calls, operator by operator", fill="#555")
    left, wide = _LEFT + 240, _WIDTH - _LEFT - 240 - 170
    high = (_ROW - 6) / len(found)
    for row, name in enumerate(names):
        y = top + row * _ROW
        yield _text_element(left - 8, y + 12, name, text_anchor="end")
        for side, (values, color) in enumerate(zip(sums, _COLORS)):
            length = wide * values.get(name, 0) / longest
            size = {"width": f"{max(length, 0.5):.1f}", "height": f"{high:.1f}"}
            yield element("rect", x=f"{left:.1f}", y=f"{y + side * high:.1f}", fill=color, **size)
        yield _text_element(left + wide + 8, y + 12, " / ".join(milliseconds(values.get(name, 0)) for values in sums))
