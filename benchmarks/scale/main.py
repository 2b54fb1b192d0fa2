"""Measure Bazel after edits in workspaces with many models.

    python3 -m benchmarks.scale.main [--workers N] [--analysis] RESULTS.jsonl [MODELS...]

Appends phases to RESULTS.jsonl, and writes the table and the plot of benchmarks/scale/README.md
from that file; the latest measurement for each number of models counts. Without MODELS, it only
writes the page. A thousand models take about 20 minutes on two idle cores, or one minute with
--analysis.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from dataclasses import asdict
from pathlib import Path

from benchmarks.scale.measure import Phase, measure
from benchmarks.scale.page import plot, with_table

_ROOT = Path(__file__).absolute().parents[2]


def read_phases(results: Path) -> list[Phase]:
    """Return the last measurement of each edit and number of models."""
    lines = results.read_text(encoding="utf-8").splitlines() if results.exists() else []
    phases = [Phase(**json.loads(line)) for line in lines]
    return list({(phase.models, phase.edit): phase for phase in phases}.values())


def write_page(folder: Path, phases: list[Phase]) -> None:
    page = folder / "README.md"
    page.write_text(with_table(page.read_text(encoding="utf-8"), phases), encoding="utf-8")
    (folder / "incrementality.svg").write_text(plot(phases), encoding="utf-8")


def _measure_into(results: Path, models: int, workers: int, analysis_alone: bool) -> None:
    folder = Path(tempfile.mkdtemp(prefix="many-models-"))
    try:
        for phase in measure(models, _ROOT, folder, workers, analysis_alone):
            with results.open("a", encoding="utf-8") as file:
                print(json.dumps(asdict(phase)), file=file)
            print(phase, flush=True)
    finally:
        # Bazel removes the write permission of its outputs.
        subprocess.run(["chmod", "-R", "u+w", str(folder)], check=False)
        subprocess.run(["rm", "-rf", str(folder)], check=False)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure builds of many models.")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--analysis", action="store_true", help="measure analysis only; compile nothing")
    parser.add_argument("results", type=Path)
    parser.add_argument("models", type=int, nargs="*")
    given = parser.parse_args()
    for models in given.models:
        _measure_into(given.results, models, given.workers, given.analysis)
    write_page(_ROOT / "benchmarks" / "scale", read_phases(given.results))


if __name__ == "__main__":
    main()
