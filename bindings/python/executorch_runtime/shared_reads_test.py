"""Tests methods that read state that another method of the program updates."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from backends.cpu.compiler.partitioner import CpuPartitioner
from executorch_runtime import Program
from exir import ExecutorchBackendConfig, to_edge_transform_and_lower
from exir.passes import MemoryPlanningPass


class _Counter(nn.Module):
    total: Tensor

    def __init__(self, updates: bool) -> None:
        super().__init__()
        self.updates = updates
        self.register_buffer("total", torch.full((4,), 2.0))

    def forward(self, x: Tensor) -> Tensor:
        if self.updates:
            self.total.add_(x)
        return x * self.total


@pytest.mark.parametrize("partitioner", [None, [CpuPartitioner()]])
def test_reader_uses_the_value_that_another_method_wrote(tmp_path: Path, partitioner: Any) -> None:
    x = torch.rand(4)
    programs = {name: torch.export.export(_Counter(name == "add"), (x,)) for name in ("add", "read")}
    planner = MemoryPlanningPass(share_mutable_buffers=True)
    manager = to_edge_transform_and_lower(programs, partitioner=partitioner)
    program = manager.to_executorch(ExecutorchBackendConfig(memory_planning_pass=planner))
    path = tmp_path / "counter.pte"
    path.write_bytes(program.buffer)
    opened = Program(path)
    add = opened.method("add")
    read = opened.method("read", share=(add, 2))
    torch.testing.assert_close(read(x)[0], x * 2)
    add(x)
    add(x)
    torch.testing.assert_close(read(x)[0], x * (2 + x + x))
    torch.testing.assert_close(read(x)[0], x * (2 + x + x))
