"""Tests methods that read a buffer that only other methods update."""

import pytest
import torch
from torch import Tensor, nn

from exir import ExecutorchBackendConfig, ExecutorchProgramManager, to_edge
from exir.graph.program_bundle import CompilationContext, Diagnostics
from exir.passes import MemoryPlanningPass


class Average(nn.Module):
    """Updates, reads or ignores a buffer, as `method` says."""

    average: Tensor

    def __init__(self, method: str) -> None:
        super().__init__()
        self.method = method
        self.register_buffer("average", torch.zeros(4))
        self.register_buffer("scale", torch.ones(4))

    def forward(self, x: Tensor) -> Tensor:
        if self.method == "update":
            self.average.copy_(0.5 * self.average + 0.5 * x)
        if self.method == "read_current":
            self.average.copy_(self.average)
        return x * self.scale if self.method == "ignore" else x - self.average


def _compile(*methods: str, shares: bool) -> tuple[ExecutorchProgramManager, list[str]]:
    """Return the program of methods, and the notes."""
    context = CompilationContext(diagnostics=Diagnostics())
    programs = {name: torch.export.export(Average(name), (torch.ones(4),)) for name in methods}
    planner = MemoryPlanningPass(share_mutable_buffers=shares)
    edge = to_edge(programs, context=context)
    manager = edge.to_executorch(ExecutorchBackendConfig(memory_planning_pass=planner))
    return manager, context.diagnostics.messages


def test_read_of_a_buffer_that_another_method_updates_is_noted() -> None:
    _, (note,) = _compile("update", "read", shares=False)
    assert note.startswith(
        "method 'read' uses the initial value of buffer 'average', although method 'update' updates it; "
        "to use the current value, set 'share_mutable_buffers' of 'memory_planning' ("
    )
    assert "unshared_reads_test.py:" in note


@pytest.mark.parametrize("reader", ["read", "read_current"])
def test_reader_shares_the_buffer_that_another_method_updates(reader: str) -> None:
    manager, notes = _compile("update", reader, shares=True)
    assert notes == []
    sizes = {
        plan.name: plan.non_const_buffer_sizes for plan in manager.executorch_program.execution_plan
    }
    assert sizes["update"][2] == sizes[reader][2] > 0


def test_reader_does_not_copy_a_shared_buffer() -> None:
    manager, _ = _compile("update", "read", shares=True)
    names = [operator.name for operator in manager.executorch_program.execution_plan[0].operators]
    assert not any("copy" in name for name in names)


def test_buffer_that_no_method_updates_is_a_constant() -> None:
    manager, notes = _compile("read", "ignore", shares=True)
    assert notes == []
    assert all(
        len(plan.non_const_buffer_sizes) == 2 for plan in manager.executorch_program.execution_plan
    )
