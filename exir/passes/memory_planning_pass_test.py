"""Tests that tensors are in the planned buffer that a pass requests."""

from collections.abc import Callable

import pytest
import torch
from torch.fx import GraphModule, Node

from exir import memory
from exir.capture import ExecutorchBackendConfig
from exir.error import ConfigError
from exir.passes import MemoryPlanningPass
from exir.program import ExecutorchProgramManager, to_edge
from exir.tensor import TensorSpec
from exir.testing import models
from exir.testing.models import Example


class Views(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu((x * 2).view(8)) + 1


def put(mem_id: int, *names: str) -> Callable[[GraphModule], None]:
    """Return a pass that requests a planned buffer for the named nodes."""

    def ask(graph_module: GraphModule) -> None:
        for name in names:
            found(graph_module, name).meta["mem_id"] = mem_id

    return ask


def found(graph_module: GraphModule, name: str) -> Node:
    return next(node for node in graph_module.graph.nodes if node.name.startswith(name))


def lowered(example: Example, *passes: Callable[[GraphModule], None]) -> ExecutorchProgramManager:
    return to_edge(example.export()).to_executorch(ExecutorchBackendConfig(passes=list(passes)))


def spec_of(manager: ExecutorchProgramManager, name: str) -> TensorSpec:
    return found(manager.exported_program().graph_module, name).meta["spec"]


def sizes(manager: ExecutorchProgramManager) -> list[int]:
    return manager.executorch_program.execution_plan[0].non_const_buffer_sizes


def test_each_planned_buffer_is_planned_separately() -> None:
    plain = lowered(models.mlp())
    manager = lowered(models.mlp(), put(3, "aten_relu"))
    relu, product = spec_of(manager, "aten_relu"), spec_of(manager, "aten_addmm")
    assert (relu.mem_id, relu.mem_offset, product.mem_id) == (3, 0, 1)
    assert sizes(manager)[2:] == [0, 192]
    assert sizes(manager)[1] < sizes(plain)[1] == sum(sizes(plain))


def test_tensors_of_one_buffer_share_bytes() -> None:
    products = ("aten_convolution_default", "aten_convolution_default_1")
    manager = lowered(models.conv_bn_relu(), put(2, *products))
    assert [spec_of(manager, name).mem_offset for name in products] == [0, 0]
    assert sizes(manager)[2] == 2048


def test_state_and_its_new_value_may_use_separate_buffers() -> None:
    manager = lowered(models.counter(), put(2, "b_total"), put(3, "aten_add_tensor"))
    assert spec_of(manager, "b_total").mem_id == 2
    assert spec_of(manager, "aten_add_tensor").mem_id == 3
    assert spec_of(manager, "copy_") is spec_of(manager, "b_total")


def test_copy_between_buffers_is_not_a_view() -> None:
    example = Example(Views(), (torch.ones(2, 4),))
    assert targets(lowered(example)).count(memory.view) == 1
    manager = lowered(example, put(2, "aten_view_copy"))
    assert targets(manager).count(memory.view) == 0
    assert sizes(manager)[2] == 32


def targets(manager: ExecutorchProgramManager) -> list[object]:
    return [node.target for node in manager.exported_program().graph.nodes]


@pytest.mark.parametrize(("mem_id", "name"), [(0, "aten_relu"), (-1, "aten_relu"), (2, "p_")])
def test_impossible_memory_configuration_is_refused(mem_id: int, name: str) -> None:
    with pytest.raises(
        ConfigError, match=f"memory id {mem_id} of '{name}.*' is invalid; set ids of at least 1"
    ):
        lowered(models.mlp(), put(mem_id, name))


def test_caller_provided_output_memory_cannot_be_planned() -> None:
    config = ExecutorchBackendConfig(
        passes=[put(2, "aten_addmm_default_1")],
        memory_planning_pass=MemoryPlanningPass(alloc_graph_output=False),
    )
    with pytest.raises(ConfigError, match="not on constants or the caller's memory"):
        to_edge(models.mlp().export()).to_executorch(config)


def test_planner_that_moves_a_tensor_to_another_buffer_is_refused() -> None:
    def ignorant(alignment, specs, graph_module, signature, padding):
        from exir.memory_planning import MemoryAlgoResult, SpecAllocResult

        return MemoryAlgoResult({spec: SpecAllocResult(1, None, 0) for spec in specs}, [0, 1 << 20])

    config = ExecutorchBackendConfig(
        passes=[put(2, "aten_relu")], memory_planning_pass=MemoryPlanningPass(ignorant)
    )
    with pytest.raises(ConfigError, match="placed a tensor with memory id 2 in buffer 1"):
        to_edge(models.mlp().export()).to_executorch(config)


@pytest.mark.parametrize("alignment", [0, -2, 24])
def test_planning_alignment_is_a_power_of_two(alignment: int) -> None:
    assert MemoryPlanningPass(alignment=1).alignment == 1
    with pytest.raises(ConfigError, match=f"'alignment' must be a power of two, got {alignment}"):
        MemoryPlanningPass(alignment=alignment)
