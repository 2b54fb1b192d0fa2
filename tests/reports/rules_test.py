"""Tests of the rules that benchmark, compare and list models."""

import json
import os
import re
import subprocess
from pathlib import Path

_DIFF = {Path(path).suffix: Path(path).read_text(encoding="utf-8") for path in os.environ["DIFF"].split()}


def test_benchmark_target_measures_both_models(tmp_path: Path) -> None:
    files = [tmp_path / "digits.json", tmp_path / "digits.svg"]
    flags = ["--repeat=3", f"--json={files[0]}", f"--svg={files[1]}"]
    run = subprocess.run([os.environ["BENCHMARK"], *flags], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert re.search(r"\ndigits\.pte is [\d.]+x (faster|slower) than ", run.stdout)
    assert json.loads(files[0].read_text())["program"] == "digits.pte"
    assert files[1].read_text().startswith("<svg ")


def test_diff_target_writes_markdown_and_html() -> None:
    assert _DIFF[".md"].startswith("### `net.pte` → `digits.pte`\n")
    assert "<h1>net.pte → digits.pte</h1>" in _DIFF[".html"]


def test_diff_target_compares_costs() -> None:
    assert "| forward: calls of aten::convolution.out | 1 | 3 | +2 | +200.0% |" in _DIFF[".md"]
    assert '<span class="plus">+2</span>' in _DIFF[".html"]


def test_report_aspect_finds_models_in_dependencies() -> None:
    page = Path(os.environ["MODELS"]).read_text(encoding="utf-8")
    assert "<h1>Models under //tests/reports:models</h1>" in page
    assert all(f"<td>{label}</td>" in page for label in ("//models:digits_pte", "//models:mobilenet_pte"))
    assert "<p>2 models, " in page
