"""Tests that the installed wheel compiles, runs and traces a model.

This repository is not on the import path.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from email.message import Message
from email.parser import Parser
from importlib.metadata import version
from pathlib import Path

import pytest

from tools.release.make_wheel import torch_requirement, version_of, write_wheel

_ROOT = Path.cwd()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_wheel(_ROOT, tmp_path_factory.mktemp("wheel"))


def _installed(wheel: Path, folder: Path) -> dict[str, str]:
    """Return an environment with the wheel and the locked packages."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    root = _ROOT.resolve()
    packages = [path for path in os.environ["PYTHONPATH"].split(":") if not Path(path).resolve().is_relative_to(root)]
    return {**os.environ, "PYTHONPATH": ":".join([str(folder), *packages])}


def test_wheel_page_script_compiles_runs_and_traces(wheel: Path, tmp_path: Path) -> None:
    environment = _installed(wheel, tmp_path / "site")
    script = (_ROOT / "docs/from_wheel.py").resolve()
    run = tmp_path / "run"
    run.mkdir()
    command = [sys.executable, "-P", str(script)]
    result = subprocess.run(command, cwd=run, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "time: 100 runs: min" in result.stdout
    spans = json.loads((run / "trace.json").read_text())["traceEvents"]
    assert {"delegate", "step"} <= {span.get("cat") for span in spans}


def test_wheel_record_lists_its_files(wheel: Path) -> None:
    released = version_of((_ROOT / "MODULE.bazel").read_text(encoding="utf-8"))
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        record = archive.read(f"rules_executorch-{released}.dist-info/RECORD").decode().splitlines()
    assert [line.split(",")[0] for line in record] == names
    assert {"executorch_runtime/libexecutorch_runtime.so", "exir/__init__.py", "schema/operators.toml"} <= set(names)
    assert not [name for name in names if name.endswith("_test.py")]


def _metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return Parser().parsestr(archive.read(metadata).decode())


def _minor(package: str) -> str:
    return ".".join(version(package).split(".")[:2])


def test_wheel_requires_a_supported_torch(wheel: Path) -> None:
    assert torch_requirement(_ROOT) == "torch>=2.11,<2.16"
    assert torch_requirement(_ROOT) in _metadata(wheel).get_all("Requires-Dist", [])


def test_wheel_has_an_extra_for_the_tested_torchao(wheel: Path) -> None:
    metadata = _metadata(wheel)
    assert metadata.get_all("Provides-Extra") == ["torchao"]
    needed = f'torchao=={_minor("torchao")}.*; extra == "torchao"'
    assert [requirement for requirement in metadata.get_all("Requires-Dist", []) if "torchao" in requirement] == [
        needed
    ]


def test_equal_sources_build_equal_wheels(wheel: Path, tmp_path: Path) -> None:
    assert write_wheel(_ROOT, tmp_path).read_bytes() == wheel.read_bytes()
