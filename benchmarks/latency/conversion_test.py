"""Tests of the conversion of peers' programs and inputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.latency import conversion
from benchmarks.latency.catalog import MODELS
from benchmarks.latency.sides.litert import declared_inputs
from benchmarks.latency.sides.side import Loaded, Missing, Setting, Side

_MODEL = MODELS["mobilenet_v2"]
_IDS = {"name": "ids", "index": 7, "dtype": np.int32}


class _Peer(Side):
    name = "peer"

    def convert(self, model: Any, path: Path) -> None:
        raise AssertionError("runs in a process of its own")

    def load(self, model: Any, path: Path | None, setting: Setting) -> Loaded:
        raise AssertionError("not asked for")


class _Uninstalled(_Peer):
    converters = ("no-such-distribution",)


class _Result:
    def __init__(self, returncode: int, stderr: str) -> None:
        self.returncode, self.stderr = returncode, stderr


@pytest.fixture
def runs(monkeypatch, tmp_path):
    """Records commands, and returns the next of `results` for each command."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    commands: list[list[str]] = []
    results: list[_Result] = []

    def run(command, **_options):
        commands.append(command)
        Path(command[-1]).write_text("converted")
        return results.pop(0)

    monkeypatch.setattr(conversion.subprocess, "run", run)
    return commands, results


def test_converted_program_is_cached(runs):
    commands, results = runs
    results.append(_Result(0, ""))
    assert conversion.converted(_Peer(), _MODEL) == conversion.converted(_Peer(), _MODEL)
    assert len(commands) == 1


def test_converted_program_is_rebuilt_when_its_inputs_change(runs, tmp_path):
    class Compiled(_Peer):
        def sources(self) -> tuple[str, ...]:
            return (str(tmp_path / "compiler.py"),)

    commands, results = runs
    for text in ("first", "second"):
        (tmp_path / "compiler.py").write_text(text)
        results.append(_Result(0, ""))
        conversion.converted(Compiled(), _MODEL)
    assert len(commands) == 2


def test_failed_converter_is_reported_as_the_reason(runs):
    _, results = runs
    results.append(_Result(1, "Traceback\nValueError: not this model\n"))
    with pytest.raises(Missing, match="its converter failed: ValueError: not this model"):
        conversion.converted(_Peer(), _MODEL)


def test_missing_converter_is_reported_as_the_reason(runs):
    with pytest.raises(Missing, match="no-such-distribution is not installed"):
        conversion.converted(_Uninstalled(), _MODEL)


def test_token_ids_have_the_dtype_that_the_converter_chose() -> None:
    [(place, array)] = declared_inputs([_IDS], [np.array([[1, 30_521]], dtype=np.int64)])
    assert (place, array.dtype, array.tolist()) == (7, np.int32, [[1, 30_521]])


def test_values_of_the_declared_dtype_are_not_copied() -> None:
    image = np.zeros((1, 3, 2, 2), dtype=np.float32)
    [(_, array)] = declared_inputs([{"name": "image", "index": 0, "dtype": np.float32}], [image])
    assert array is image


def test_value_outside_the_declared_dtype_is_an_error() -> None:
    with pytest.raises(OverflowError, match="LiteRT expects input ids as int32"):
        declared_inputs([_IDS], [np.array([2**31], dtype=np.int64)])
