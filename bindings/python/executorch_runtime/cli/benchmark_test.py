"""Tests of the output and the files of executorch_benchmark, except times."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from executorch_runtime.cli.benchmark import main
from executorch_runtime.cli.latency import Latency, by_turns
from executorch_runtime.cli.measurement import read_measurement
from tests.fixtures.recorded import FOLDER

_ADD = str(FOLDER / "tut02_basic_add.pte")
_LINEAR = str(FOLDER / "tut01_simpleconv.pte")


def _svg(path: Path) -> ElementTree.Element:
    return ElementTree.fromstring(path.read_text(encoding="utf-8"))


def test_latency_distribution_and_operators_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([_ADD, "--repeat", "5"]) == 0
    signature, machine, runs, operator = capsys.readouterr().out.splitlines()
    assert signature == "tut02_basic_add.pte: forward(float32[3, 3], float32[3, 3]) -> (float32[3, 3])"
    assert machine.endswith(", 1 thread")
    assert re.match(r"  5 runs: min [\d.]+ ms, median ", runs)
    assert re.fullmatch(r"  aten::add\.out      1 x  +[\d.]+ ms  100\.0 %", operator)


def test_result_file_contains_every_time(tmp_path: Path) -> None:
    file = tmp_path / "add.json"
    assert main([_ADD, "--repeat", "7", "--json", str(file)]) == 0
    found = read_measurement(file)
    assert len(found.times) == 7 and min(found.times) > 0
    assert [(operator.name, operator.calls) for operator in found.operators] == [("aten::add.out", 1)]
    assert json.loads(file.read_text())["quantiles"]["median"] == found.latency.quantile(0.5)


def test_latency_plot_has_a_line_per_program(tmp_path: Path) -> None:
    one, two = tmp_path / "one.svg", tmp_path / "two.svg"
    assert main([_ADD, "--repeat", "5", "--svg", str(one)]) == 0
    assert main([_ADD, "--repeat", "5", "--svg", str(two), "--against", _LINEAR]) == 0
    places = [
        float(value)
        for file in (one, two)
        for element in _svg(file).iter()
        for name, value in element.attrib.items()
        if name in ("x", "x1", "x2")
    ]
    assert min(places) >= 0 and max(places) <= 840, "outside the view box"
    lines = [len(list(_svg(file).iter("{http://www.w3.org/2000/svg}polyline"))) for file in (one, two)]
    assert lines == [1, 2]


def test_programs_run_in_turn(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([_ADD, "--repeat", "20", "--against", _LINEAR]) == 0
    *_, ratio, pairs = capsys.readouterr().out.splitlines()
    assert re.fullmatch(
        r"tut02_basic_add\.pte is [\d.]+x (faster|slower) than tut01_simpleconv\.pte \(medians\)", ratio
    )
    assert re.fullmatch(r"  time ratio in 80 % of 20 paired runs: [\d.]+ to [\d.]+", pairs)


def test_first_program_of_a_turn_alternates() -> None:
    order: list[str] = []

    def run(name: str) -> int:
        order.append(name)
        return len(order)

    found = by_turns([lambda: run("a"), lambda: run("b")], times=2, warm_up=1)
    assert order == ["a", "b", "b", "a", "a", "b"]
    assert found == [Latency((4, 5)), Latency((3, 6))]


def test_earlier_result_is_compared_and_labeled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "add.json"
    assert main([_ADD, "--repeat", "5", "--json", str(file)]) == 0
    assert main([_ADD, "--repeat", "5", "--against", str(file)]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("  measured at another time, so ")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "Expecting value: line 1 column 1"),
        ("{}", "it does not have 'format'"),
        ('{"format": 9}', "format is 9, expected 1"),
        ('{"format": 1, "times": []}', "it does not have 'program'"),
    ],
)
def test_malformed_earlier_result_is_refused(
    content: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "other.json"
    file.write_text(content)
    assert main([_ADD, "--repeat", "5", "--against", str(file)]) == 1
    assert f"other.json is not a file of --json: {message}" in capsys.readouterr().err


def test_missing_earlier_result_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([_ADD, "--repeat", "5", "--against", "nowhere.json"]) == 1
    assert capsys.readouterr().err == "executorch_benchmark: nowhere.json: No such file or directory\n"


def test_benchmark_rejects_a_file_that_is_not_a_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "net.pte"
    file.write_bytes(b"no program")
    assert main([str(file)]) == 1
    assert capsys.readouterr().err.startswith(f"executorch_benchmark: {file}: ")
