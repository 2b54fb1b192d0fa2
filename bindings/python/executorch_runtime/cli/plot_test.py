"""Tests of the geometry of benchmark plots."""

from xml.etree.ElementTree import Element, fromstring

from executorch_runtime.cli.measurement import Measurement, OperatorTime
from executorch_runtime.cli.plot import plot

_SVG = "{http://www.w3.org/2000/svg}"
_MICROSECOND = 1000


def _measured(times: tuple[int, ...], **operators: float) -> Measurement:
    found = tuple(OperatorTime(name, 1, nanoseconds) for name, nanoseconds in operators.items())
    return Measurement("net.pte", "forward()", 1, "CPU", 0.5, times, found)


def _elements(tag: str, *found: Measurement) -> list[Element]:
    return list(fromstring(plot(found)).iter(_SVG + tag))


def _bars(*found: Measurement) -> list[tuple[float, ...]]:
    """Return x, y, width and height of each bar."""
    _, *bars = _elements("rect", *found)
    return [tuple(float(bar.attrib[name]) for name in ("x", "y", "width", "height")) for bar in bars]


def _labels(*found: Measurement) -> dict[str, tuple[float, float]]:
    return {text.text or "": (float(text.attrib["x"]), float(text.attrib["y"])) for text in _elements("text", *found)}


def test_bars_are_proportional_to_times() -> None:
    bars = _bars(_measured((1,), add=400.0, mul=100.0), _measured((1,), add=200.0))
    assert [(x, width) for x, _, width, _ in bars] == [(300, 370), (300, 185), (300, 92.5), (300, 0.5)]


def test_bars_of_all_operators_and_programs_are_apart() -> None:
    bars = _bars(_measured((1,), add=4.0, mul=4.0), _measured((1,), add=4.0, mul=4.0))
    assert [(y, height) for _, y, _, height in bars] == [(370, 8), (378, 8), (392, 8), (400, 8)]
    (alone,) = _bars(_measured((1,), add=4.0))
    assert alone == (300, 370, 370, 16)


def test_bars_have_names_and_times_next_to_them() -> None:
    labels = _labels(_measured((1,), add=2e6, mul=1e6), _measured((1,), add=3e6))
    assert labels["add"] == (292, 382) and labels["mul"] == (292, 404)
    assert labels["2.000 ms / 3.000 ms"] == (678, 382) and labels["1.000 ms / 0.00000 ms"] == (678, 404)


def test_programs_without_measured_operators_have_no_long_bars() -> None:
    assert _bars(_measured((1,))) == []
    assert [width for _, _, width, _ in _bars(_measured((1,), add=0.0))] == [0.5]


def test_only_the_first_operators_have_bars_and_the_image_contains_them() -> None:
    found = _measured((1,), **{f"op{number}": 1.0 for number in range(30)})
    bars = _bars(found)
    (image,) = _elements("svg", found)
    assert len(bars) == 10
    assert image.attrib["viewBox"] == "0 0 840 610"
    assert max(y + height for _, y, _, height in bars) <= 610


def test_distribution_rises_from_the_fastest_run_to_all_runs() -> None:
    found = _measured((30 * _MICROSECOND, 10 * _MICROSECOND, 20 * _MICROSECOND, 20 * _MICROSECOND))
    (line,) = _elements("polyline", found)
    assert line.attrib["points"] == "60.0,245.0 425.0,190.0 425.0,135.0 790.0,80.0"
    labels = _labels(found)
    assert labels["0.010 ms"] == (60, 318) and labels["0.020 ms"] == (425, 318) and labels["0.030 ms"] == (790, 318)
    assert labels["100%"] == (52, 84) and labels["50%"] == (52, 194) and labels["0%"] == (52, 304)


def test_axes_are_labeled() -> None:
    found = _measured((1, 5), add=1.0), _measured((3, 9), add=1.0)
    labels = _labels(*found)
    assert labels["share of runs that took no longer"] == (60, 66)
    assert labels["median of a run's calls, operator by operator"] == (60, 356)
    lines = [tuple(float(line.attrib[name]) for name in ("x1", "x2", "y1", "y2")) for line in _elements("line", *found)]
    assert lines == [(60, 790, y, y) for y in (300, 190, 102, 80)]
    times = [float(text.attrib["x"]) for text in _elements("text", *found) if text.attrib["y"] == "318.0"]
    assert times == [60, 242.5, 425, 607.5, 790]
    assert [line.attrib["points"].split()[0] for line in _elements("polyline", *found)] == ["60.0,190.0", "242.5,190.0"]


def test_legend_shows_the_median() -> None:
    (text,) = (label for label in _labels(_measured((10_000, 20_000, 90_000))) if label.startswith("net.pte"))
    assert text == "net.pte: median of 3 runs 0.020 ms; CPU, load 0.5"


def test_distribution_omits_outliers() -> None:
    (line,) = _elements("polyline", _measured((*range(1, 200), 10**9)))
    points = line.attrib["points"].split()
    assert len(points) == 199
    assert points[0] == "60.0,298.9" and points[-1] == "790.0,81.1"


def test_distribution_of_equal_times_is_a_vertical_line() -> None:
    (line,) = _elements("polyline", _measured((5, 5)))
    assert line.attrib["points"] == "60.0,190.0 60.0,80.0"


def test_programs_differ_in_color() -> None:
    found = _measured((1, 2), add=1.0), _measured((2, 3), add=1.0)
    lines, (_, *bars) = _elements("polyline", *found), _elements("rect", *found)
    legend = [text for text in _elements("text", *found) if (text.text or "").startswith("net.pte: median of 2 runs")]
    colors = [
        [line.attrib["stroke"] for line in lines],
        *([each.attrib["fill"] for each in row] for row in (bars, legend)),
    ]
    assert len(set(colors[0])) == 2
    assert colors == [colors[0]] * 3
    assert [text.attrib["y"] for text in legend] == ["20.0", "38.0"]
