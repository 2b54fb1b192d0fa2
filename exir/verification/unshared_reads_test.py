"""Tests the notes on methods that read a buffer that only other methods update."""

import torch
from torch import Tensor, nn

from exir import ExecutorchBackendConfig, to_edge
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


def _notes(*methods: str) -> list[str]:
    context = CompilationContext(diagnostics=Diagnostics())
    programs = {name: torch.export.export(Average(name), (torch.ones(4),)) for name in methods}
    planner = MemoryPlanningPass(share_mutable_buffers=True)
    edge = to_edge(programs, context=context)
    edge.to_executorch(ExecutorchBackendConfig(memory_planning_pass=planner))
    return context.diagnostics.messages


def test_read_of_a_buffer_that_another_method_updates_is_noted() -> None:
    (note,) = _notes("update", "read")
    assert note.startswith(
        "method 'read' uses the initial value of buffer 'average', although method 'update' updates it; "
        "to use the current value, set 'share_mutable_buffers' and copy the buffer to itself in 'read' ("
    )
    assert "unshared_reads_test.py:" in note


def test_methods_that_update_or_ignore_the_buffer_have_no_note() -> None:
    assert _notes("update", "read_current", "ignore") == []


def test_buffer_that_no_method_updates_has_no_note() -> None:
    assert _notes("read", "ignore") == []
