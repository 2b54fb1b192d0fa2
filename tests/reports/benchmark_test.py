"""Tests a benchmark target under `bazel run`."""

import json
import os
import re
import subprocess
from pathlib import Path


def test_benchmark_target_measures_both_models(tmp_path: Path) -> None:
    files = [tmp_path / "digits.json", tmp_path / "digits.svg"]
    flags = ["--repeat=3", f"--json={files[0]}", f"--svg={files[1]}"]
    run = subprocess.run([os.environ["BENCHMARK"], *flags], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert re.search(r"\ndigits\.pte is [\d.]+x (faster|slower) than ", run.stdout)
    assert json.loads(files[0].read_text())["program"] == "digits.pte"
    assert files[1].read_text().startswith("<svg ")
