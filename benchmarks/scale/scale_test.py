"""Tests of generated workspaces, of reading Bazel's log, and of the page."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import asdict
from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks.scale.main import read_phases, write_page
from benchmarks.scale.measure import MERGED, Phase, measure
from benchmarks.scale.page import plot, table, with_table
from benchmarks.scale.processes import WorkerMemory, processor_seconds
from benchmarks.scale.workspace import ManyModels

_PHASE = Phase(100, "nothing", 0, 0, 0, 0.5, 0.1, 0)

# Responds like Bazel, and records its arguments.
_BAZEL = """\
#!/bin/sh
echo "$*" >>{calls}
[ "$2" = info ] && echo $$
for argument; do
  case $argument in
  --build_event_json_file=*) cp {events} "${{argument#*=}}" ;;
  esac
done
"""

_EVENTS = {
    "buildMetrics": {
        "actionSummary": {
            "actionData": [{"mnemonic": "ExecutorchLower", "actionsExecuted": "3"}],
            "runnerCount": [
                {"name": "total", "count": 12},
                {"name": "disk cache hit", "count": 4},
                {"name": "internal", "count": 1},
                {"name": "worker", "count": 3},
                {"name": "linux-sandbox", "count": 4},
            ],
        }
    }
}


def test_scale_workspace_has_ten_models_per_package(tmp_path: Path) -> None:
    ManyModels(tmp_path / "workspace", tmp_path, 23)
    builds = sorted((tmp_path / "workspace").glob("*/BUILD.bazel"))
    assert [file.parent.name for file in builds] == ["group_0", "group_1", "group_2"]
    assert "range(3)" in builds[2].read_text()
    assert len(list((tmp_path / "workspace").glob("*/net_*.py"))) == 23


def test_scale_models_differ_and_import_their_packages_layer(tmp_path: Path) -> None:
    ManyModels(tmp_path / "workspace", tmp_path, 12)
    first, other = ((tmp_path / "workspace" / name).read_text() for name in ("group_0/net_0.py", "group_1/net_1.py"))
    assert "from group_1.layer import Layer" in other
    assert first.replace("group_0", "group_1") != other


@pytest.fixture
def program_folder(tmp_path: Path) -> Path:
    """Run with a fake Bazel that only reports builds."""
    (tmp_path / "events").write_text("{}\n" + json.dumps(_EVENTS))
    program = tmp_path / "bazelw"
    program.write_text(_BAZEL.format(calls=tmp_path / "calls", events=tmp_path / "events"))
    program.chmod(0o755)
    return tmp_path


@pytest.fixture
def phases(program_folder: Path) -> list[Phase]:
    return list(measure(10, program_folder, program_folder, workers=2))


def test_actions_are_counted_by_runner(phases: list[Phase]) -> None:
    assert {(phase.models, phase.ran, phase.compiled, phase.from_cache) for phase in phases} == {(10, 7, 3, 4)}


def test_each_edit_is_measured_once_and_the_cache_last(phases: list[Phase], tmp_path: Path) -> None:
    edits = [phase.edit for phase in phases]
    assert len(set(edits)) == len(edits) == 10
    builds = [line for line in (tmp_path / "calls").read_text().splitlines() if " build " in line]
    measured = [line for line in builds if "--build_event_json_file" in line]
    assert ["other_base" in line for line in measured] == [False] * 9 + [True]


def test_builds_without_an_edit_are_repeated_without_events(phases: list[Phase], tmp_path: Path) -> None:
    builds = [line for line in (tmp_path / "calls").read_text().splitlines() if " build " in line]
    repeated = [line for line in builds if "--build_event_json_file" not in line]
    assert [MERGED in line for line in repeated] == [False] * 5 + [True] * 5


def test_analysis_does_not_compile(program_folder: Path) -> None:
    phases = measure(10, program_folder, program_folder, workers=2, analysis_alone=True)
    assert [phase.edit for phase in phases] == ["analysis, cold", "analysis, warm"]
    builds = [line for line in (program_folder / "calls").read_text().splitlines() if " build " in line]
    assert len(builds) == 2 and all(" --nobuild " in line for line in builds)


def test_processor_time_grows_with_work() -> None:
    before = processor_seconds(os.getpid())
    while processor_seconds(os.getpid()) < before + 0.05:
        sum(range(10_000))


def test_only_worker_memory_is_counted() -> None:
    with WorkerMemory(os.getpid()) as memory:
        pass
    assert memory.peak == 0


def test_rows_of_an_edit_are_adjacent() -> None:
    other = Phase(100, "a layer", 12, 10, 0, 9.0, 4.0, 700)
    rows = table([_PHASE, other, Phase(300, "nothing", 0, 0, 0, 1.5, 0.3, 0)]).splitlines()[2:]
    assert [row.split(" | ")[:2] for row in rows] == [["| nothing", "100"], ["| nothing", "300"], ["| a layer", "100"]]
    assert rows[2] == "| a layer | 100 | 12 | 10 | 0 | 9.0 | 4.0 | 700 MB |"


def test_page_keeps_text_around_the_table() -> None:
    page = "before\n<!-- table -->\nold\n<!-- end -->\nbehind\n"
    assert with_table(page, [_PHASE]) == page.replace("old\n", table([_PHASE]))


def test_plot_has_a_bar_per_row() -> None:
    image = ElementTree.fromstring(plot([_PHASE, Phase(300, "nothing", 0, 0, 0, 1.5, 0.3, 0)]))
    bars = [bar for bar in image.iter("{http://www.w3.org/2000/svg}rect") if bar.get("x")]
    assert len(bars) == 2
    assert float(bars[1].attrib["width"]) > float(bars[0].attrib["width"])


def test_later_measurement_replaces_the_earlier(tmp_path: Path) -> None:
    later = Phase(100, "nothing", 0, 0, 0, 0.4, 0.2, 0)
    results = tmp_path / "results"
    results.write_text("".join(json.dumps(asdict(phase)) + "\n" for phase in (_PHASE, later)))
    assert read_phases(results) == [later]


def test_page_and_plot_are_written(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("<!-- table -->\n<!-- end -->\n")
    write_page(tmp_path, [_PHASE])
    assert "| nothing | 100 |" in (tmp_path / "README.md").read_text()
    assert (tmp_path / "incrementality.svg").read_text().startswith("<svg")


def test_ended_process_uses_no_memory() -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    assert processor_seconds(ended.pid) == 0
