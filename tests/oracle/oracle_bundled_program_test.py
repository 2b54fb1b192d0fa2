"""Tests bundled programs of both compilers on both runtimes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import torch
from executorch.devtools import BundledProgram as OfficialBundle
from executorch.devtools.bundled_program import config as official
from executorch.devtools.bundled_program.serialize import (
    serialize_from_bundled_program_to_flatbuffer as written_officially,
)
from executorch.extension.pybindings import portable_lib

from exir.bundled.program import (
    BundledProgram,
    MethodTestCase,
    MethodTestSuite,
    serialize_from_bundled_program_to_flatbuffer,
)
from exir.cli import unbundle
from exir.program import ExecutorchProgramManager, to_edge

_X = torch.randn(2, 6)


class Layer(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.layer = torch.nn.Linear(6, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x)


def _program() -> ExecutorchProgramManager:
    return to_edge(torch.export.export(Layer(), (_X,))).to_executorch()


def _expected() -> torch.Tensor:
    with torch.no_grad():
        return Layer()(_X)


def _bundle(expected: torch.Tensor) -> bytes:
    suites = [MethodTestSuite("forward", [MethodTestCase((_X,), (expected,))])]
    return serialize_from_bundled_program_to_flatbuffer(BundledProgram(_program(), suites))


def _is_held(data: bytes) -> bool:
    """Return true if the official runtime computes the expected outputs of the bundle."""
    bundle = portable_lib._load_bundled_program_from_buffer(data)
    try:
        bundle.verify_result_with_bundled_expected_output("forward", 0)
    except RuntimeError:
        return False
    return True


def _runs_in_c(data: bytes, folder: Path) -> bool:
    files = [folder / name for name in ("bundle.bpte", "program.pte", "calls")]
    files[0].write_bytes(data)
    unbundle.main([str(files[0]), f"--program={files[1]}", f"--calls={files[2]}"])
    command = [os.environ["RUN_CALLS"], *map(str, files[1:])]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_both_runtimes_verify_our_bundled_programs(tmp_path: Path) -> None:
    for expected, is_right in ((_expected(), True), (_expected() + 1, False)):
        data = _bundle(expected)
        assert _is_held(data) is is_right
        assert _runs_in_c(data, tmp_path) is is_right


def test_official_bundled_program_runs_in_c(tmp_path: Path) -> None:
    (path := tmp_path / "layer.pte").write_bytes(_program().buffer)
    for expected, is_right in ((_expected(), True), (_expected() + 1, False)):
        suites = [official.MethodTestSuite("forward", [official.MethodTestCase([_X], [expected])])]
        data = written_officially(OfficialBundle(None, suites, str(path)))
        assert _runs_in_c(data, tmp_path) is is_right
