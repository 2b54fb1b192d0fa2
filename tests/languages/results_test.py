"""Tests that C, C++, Rust and Java compute the same bits as the Python runtime."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from rules.interface.description import read_interface
from tests.languages.calls import Results, run_in_python
from tests.languages.page import PAGE, Row, page_text

_INDEX = json.loads(Path(os.environ["INDEX"]).read_text(encoding="utf-8"))
_DRIVERS = {name: os.environ[name] for name in ("C", "CPP", "RUST", "JAVA") if name in os.environ}

# The runtime of Java has no backends that are written for tests.
_TEST_BACKENDS = ("feature_models_delegated",)
_rows: dict[str, Row] = {}


@pytest.mark.parametrize("name", _INDEX)
def test_results_match_the_python_runtime(name: str, tmp_path: Path) -> None:
    files = {role: Path(path) for role, path in _INDEX[name].items() if role != "borrows"}
    interface = read_interface(files["manifest"])
    expected = run_in_python(interface, files["program"], files.get("weights"), files.get("calls"))
    borrowed = [str(files["program"]), str(files["weights"])] if _INDEX[name]["borrows"] else []
    for language, driver in _DRIVERS.items():
        assert _run(driver, name, expected, borrowed, tmp_path) == expected.outputs, language
    if "JAVA" in _DRIVERS:
        options = {"JDK_JAVA_OPTIONS": "-Dbuffers_first=true"}
        assert _run(_DRIVERS["JAVA"], name, expected, borrowed, tmp_path, options) == expected.outputs
    shares_state = any(method.memory.shared is not None for method in interface.methods)
    if "JAVA_PROGRAM" in os.environ and not shares_state and name not in _TEST_BACKENDS:
        opened = [str(files[role]) for role in ("program", "weights") if role in files]
        assert _run(os.environ["JAVA_PROGRAM"], name, expected, opened, tmp_path) == expected.outputs
    _rows[name] = Row(interface, expected.call_count, expected.output_count, len(expected.outputs))


def _run(
    driver: str,
    name: str,
    expected: Results,
    borrowed: list[str],
    folder: Path,
    environment: Mapping[str, str] | None = None,
) -> bytes:
    (folder / "calls").write_bytes(expected.calls)
    command = [driver, name, str(folder / "calls"), str(folder / "outputs"), *borrowed]
    result = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, **(environment or {})}
    )
    assert result.returncode == 0, f"{driver}: {result.stderr}"
    # The Java virtual machine checks calls of its native interface.
    assert "WARNING" not in result.stdout, result.stdout
    return (folder / "outputs").read_bytes()


def test_drivers_of_all_languages_ran() -> None:
    assert list(_DRIVERS) == ["C", "CPP", "RUST", "JAVA"], (
        "the workspace has not selected rules; install rustc and a JDK"
    )


def test_page_has_the_results_of_all_models() -> None:
    if set(_rows) != set(_INDEX):
        pytest.fail("a model has no results")
    text = page_text([_rows[name] for name in sorted(_rows, key=lambda name: _rows[name].interface.target)])
    written = Path(os.environ["TEST_UNDECLARED_OUTPUTS_DIR"]) / "language_results.md"
    written.write_text(text, encoding="utf-8")
    assert Path(PAGE).read_text(encoding="utf-8") == text, f"copy {written} to {PAGE}"
