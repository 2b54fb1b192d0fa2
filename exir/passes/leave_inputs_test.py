"""Tests that programs do not write to inputs, and that a warning names the input."""

import pytest
import torch
from torch import Tensor

from backends.demo.compiler_demo import CompilerDemoPartitioner
from exir.backend.partitioner import Partitioner
from exir.capture import ExecutorchBackendConfig
from exir.graph.program_bundle import CompilationContext
from exir.operators.kernels import KernelTable
from exir.passes import MemoryPlanningPass
from exir.program import ExecutorchProgramManager, to_edge_transform_and_lower
from exir.testing.graphs import operator_names
from exir.testing.models import Example


class Writing(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        x.mul_(2)
        y.copy_(torch.sin(y + x))
        return x + 1, x


EXAMPLE = Example(Writing(), (torch.ones(2, 2), torch.ones(2, 2)))


def lowered(
    context: CompilationContext, *partitioners: Partitioner, planned: bool = True
) -> ExecutorchProgramManager:
    edge = to_edge_transform_and_lower(EXAMPLE.export(), partitioner=partitioners, context=context)
    planner = MemoryPlanningPass(alloc_graph_input=planned)
    return edge.to_executorch(ExecutorchBackendConfig(memory_planning_pass=planner))


@pytest.mark.parametrize("planned", [True, False])
def test_results_are_computed_without_writing_inputs(planned: bool) -> None:
    context = CompilationContext(kernels=KernelTable({}))
    program = lowered(context, planned=planned).exported_program()
    assert operator_names(program) == ["aten::mul.out", "aten::add.out"]
    assert not program.graph_signature.user_inputs_to_mutate
    assert len(program.graph_signature.user_outputs) == 2


def test_caller_provided_inputs_are_written_without_kernel_tables() -> None:
    program = lowered(CompilationContext(), planned=False).exported_program()
    assert set(program.graph_signature.user_inputs_to_mutate.values()) == {"x", "y"}


def test_input_write_is_reported_with_input_and_line() -> None:
    context = CompilationContext()
    lowered(context)
    first, second = context.diagnostics.messages
    text = (
        "method 'forward' writes to its input '{}', but the caller's tensor stays unchanged;"
        " return the new value if it is needed (exir/passes/leave_inputs_test.py:{})"
    )
    line = Writing.forward.__code__.co_firstlineno
    assert (first, second) == (text.format("x", line + 1), text.format("y", line + 2))


def test_delegate_inputs_are_not_written() -> None:
    context = CompilationContext()
    plan = lowered(context, CompilerDemoPartitioner()).executorch_program.execution_plan[0]
    assert plan.delegates and len(plan.outputs) == 2
    assert [operator.name for operator in plan.operators] == []
    assert len(context.diagnostics.messages) == 2


def test_programs_without_input_writes_are_unchanged() -> None:
    context = CompilationContext()
    example = Example(torch.nn.ReLU(), (torch.ones(1, 2),))
    program = to_edge_transform_and_lower(example.export(), context=context).to_executorch()
    assert operator_names(program.exported_program()) == ["aten::relu.out"]
    assert context.diagnostics.messages == []
