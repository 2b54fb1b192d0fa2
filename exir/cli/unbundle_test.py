"""Tests that a bundled program is split for the C runtime."""

from pathlib import Path

import torch

from exir.bundled.program import (
    BundledProgram,
    MethodTestCase,
    MethodTestSuite,
    serialize_from_bundled_program_to_flatbuffer,
)
from exir.cli import unbundle
from exir.cli.reporting.calls import read_calls
from exir.program import to_edge


def test_unbundle_writes_program_and_comparable_calls(tmp_path: Path) -> None:
    x = torch.randn(2, 3)
    program = to_edge(torch.export.export(torch.nn.ReLU(), (x,))).to_executorch()
    cases = [MethodTestCase((x,), x.relu()), MethodTestCase((x,))]
    bundled = BundledProgram(program, [MethodTestSuite("forward", cases)])
    path, pte, calls = (tmp_path / name for name in ("net.bpte", "net.pte", "net.calls"))
    path.write_bytes(serialize_from_bundled_program_to_flatbuffer(bundled))
    unbundle.main([str(path), f"--program={pte}", f"--calls={calls}"])
    assert pte.read_bytes() == program.buffer
    (call,) = read_calls(calls.read_bytes())
    assert call.method == "forward" and torch.equal(call.outputs[0], x.relu())
