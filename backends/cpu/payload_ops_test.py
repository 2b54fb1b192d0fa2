"""Tests that payloads are listed as text and that invalid data is rejected."""

from __future__ import annotations

import pytest
import torch

from backends.cpu.compiler.partitioner import CpuPartitioner
from backends.cpu.compiler.read_payload import read
from backends.cpu.payload_ops import describe
from backends.cpu.schema.registry import BY_CODE
from exir import to_edge_transform_and_lower


def _payload() -> bytes:
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(288, 4))
    exported = torch.export.export(model.eval(), (torch.randn(1, 3, 8, 8),))
    program = to_edge_transform_and_lower(exported, partitioner=[CpuPartitioner()]).to_executorch().executorch_program
    return bytes(program.backend_delegate_data[0].data)


def test_describes_the_ops_of_the_payload() -> None:
    payload = _payload()
    ops = describe(payload)
    assert [name for name, _ in ops] == [BY_CODE[op.kind].op_name() for op in read(payload).ops]
    name, tensors = ops[-1]
    assert name == "gemm_f32" and tensors[0].endswith("288]") and tensors[-1] == "float32[1, 4]"


def test_invalid_payloads_are_rejected() -> None:
    payload = _payload()
    for damaged in (b"", payload[:40], payload[:-4], b"\0" * 80):
        with pytest.raises(ValueError, match="CpuBackend"):
            describe(damaged)


def test_counts_beyond_the_payload_are_rejected() -> None:
    payload = bytearray(_payload())
    payload[8 * 4 : 9 * 4] = (1 << 20).to_bytes(4, "little")
    with pytest.raises(ValueError, match="corrupt"):
        describe(bytes(payload))
