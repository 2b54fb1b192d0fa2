"""Tests that the verifier loads each method, and rejects those that fail to load."""

import os
import subprocess
from pathlib import Path

import pytest
import torch
from torch import nn

from backends.cpu.compiler.partitioner import CpuPartitioner
from exir import schema, to_edge_transform_and_lower
from exir._serialize import deserialize_pte_binary, serialize_pte_binary
from exir.backend.partitioner import Partitioner


def _verify(stamp: Path, program: Path, tool: str = "VERIFY") -> subprocess.CompletedProcess[str]:
    command = [os.environ[tool], "//my:net_pte", str(stamp), str(program)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


class _Total(nn.Module):
    """Reads its state through a view before the state is mutated."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("total", torch.zeros(1, 4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        total = self.get_buffer("total")
        y = total.squeeze(0) + torch.sin(x)
        total.copy_(y.unsqueeze(0))
        return y


def _compiled(path: Path, partitioner: list[Partitioner]) -> bytes:
    exported = torch.export.export(_Total(), (torch.ones(4),))
    path.write_bytes(to_edge_transform_and_lower(exported, partitioner=partitioner).to_executorch().buffer)
    return path.read_bytes()


def _all_at_offset_0(program: bytes) -> bytes:
    """Return the program with all planned tensors at the same address."""
    file = deserialize_pte_binary(program)
    for value in file.program.execution_plan[0].values:
        if isinstance(value.val, schema.Tensor) and value.val.allocation_info is not None:
            value.val.allocation_info.memory_offset_low = 0
    return bytes(serialize_pte_binary(file))


@pytest.mark.parametrize("tool", ["VERIFY", "VERIFY_CPU"])
def test_program_with_an_unloadable_method_is_refused(tool: str, tmp_path: Path) -> None:
    program = tmp_path / "net.pte"
    whole = _compiled(program, [])
    assert _verify(tmp_path / "whole", program, tool=tool).returncode == 0
    program.write_bytes(_all_at_offset_0(whole))
    run = _verify(tmp_path / "stamp", program, tool=tool)
    assert run.returncode == 1
    assert f"the runtime rejects {program}: INVALID_PROGRAM: method forward: instructions[" in run.stderr
    assert not (tmp_path / "stamp").exists()


def test_delegate_payload_is_verified_where_its_backend_is_linked(tmp_path: Path) -> None:
    program = tmp_path / "net.pte"
    whole = _compiled(program, [CpuPartitioner()])
    assert _verify(tmp_path / "whole", program, tool="VERIFY_CPU").returncode == 0
    file = deserialize_pte_binary(whole)
    (delegate,) = file.program.backend_delegate_data
    delegate.data = bytes(delegate.data)[:-8]
    program.write_bytes(bytes(serialize_pte_binary(file)))
    assert _verify(tmp_path / "stamp", program).returncode == 0
    assert _verify(tmp_path / "stamp", program, tool="VERIFY_CPU").returncode == 1


def test_method_with_external_kernels_is_only_opened(tmp_path: Path) -> None:
    program = tmp_path / "net.pte"
    file = deserialize_pte_binary(_all_at_offset_0(_compiled(program, [])))
    file.program.execution_plan[0].operators[0].name = "mine::sin"
    program.write_bytes(bytes(serialize_pte_binary(file)))
    run = _verify(tmp_path / "stamp", program)
    assert (run.returncode, run.stderr) == (0, "")
