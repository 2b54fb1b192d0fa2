"""Tests that the verifier accepts valid plans and rejects invalid ones."""

import pytest
import torch

from exir.error import InternalError
from exir.planning.plan_verifier import verify_memory_plan
from exir.program import to_edge
from exir.tensor import TensorSpec, specs_of
from exir.testing import models
from exir.testing.graphs import rewrite_in_place
from exir.testing.models import Example


class Cond(torch.nn.Module):
    def forward(self, flag: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        y = x * 2
        return torch.cond(flag, lambda a, b: a + b, lambda a, b: (a - b) * 3, (x, y)) + y


def planned(example: Example) -> tuple[torch.fx.GraphModule, list[TensorSpec]]:
    program = to_edge(example.export()).to_executorch().exported_program()
    specs = [s.storage for node in program.graph.nodes for s in specs_of(node)]
    return program.graph_module, [s for s in dict.fromkeys(specs) if not s.const]


def verify(graph_module: torch.fx.GraphModule) -> None:
    verify_memory_plan(graph_module, graph_module.meta["non_const_buffer_sizes"], 16)


@pytest.mark.parametrize("name", models.ALL)
def test_compiler_memory_plans_are_sound(name: str) -> None:
    verify(planned(models.ALL[name]())[0])


@pytest.mark.parametrize("name", ["conv_bn_relu", "mlp", "counter", "kv_cache"])
def test_every_overlap_of_live_tensors_is_detected(name: str) -> None:
    graph_module, specs = planned(models.ALL[name]())
    original = [spec.mem_offset for spec in specs]
    found = 0
    for index, spec in enumerate(specs):
        for other in range(index):
            spec.mem_offset = original[other]
            if original[index] != original[other]:
                found += not is_sound(graph_module)
            spec.mem_offset = original[index]
    assert found
    verify(graph_module)


def is_sound(graph_module: torch.fx.GraphModule) -> bool:
    try:
        verify(graph_module)
    except InternalError:
        return False
    return True


def test_result_that_overlaps_its_operand_is_detected() -> None:
    graph_module, specs = planned(models.dynamic_add())
    specs[-1].mem_offset = specs[0].mem_offset
    with pytest.raises(InternalError, match="are read after another tensor overwrote them"):
        verify(graph_module)


def test_tensor_outside_its_buffer_is_detected() -> None:
    graph_module, specs = planned(models.mlp())
    specs[0].mem_offset = 1 << 20
    with pytest.raises(InternalError, match="memory plan: bytes 1048576 to"):
        verify(graph_module)


def test_tensor_ending_past_its_buffer_is_detected() -> None:
    graph_module, specs = planned(models.mlp())
    size = graph_module.meta["non_const_buffer_sizes"][1]
    specs[0].mem_offset = size - 16
    assert specs[0].nbytes() > 16
    with pytest.raises(InternalError, match=f"exceed buffer 1 of {size} bytes"):
        verify(graph_module)


@pytest.mark.parametrize("mem_id", [0, 2])
def test_unknown_buffer_is_detected(mem_id: int) -> None:
    graph_module, specs = planned(models.mlp())
    specs[0].mem_id = mem_id
    with pytest.raises(InternalError, match=f"buffer {mem_id} is not in 1..1"):
        verify(graph_module)


def test_misaligned_offset_is_detected() -> None:
    graph_module, specs = planned(models.mlp())
    graph_module.meta["non_const_buffer_sizes"][1] += 16
    specs[0].mem_offset = 4
    with pytest.raises(InternalError, match="is not a multiple of 16"):
        verify(graph_module)


def test_state_overwritten_before_the_end_is_detected() -> None:
    graph_module, specs = planned(models.counter())
    state = next(spec for spec in specs if spec.state)
    output = specs_of(graph_module.graph.output_node().args[0][1])[0]
    output.mem_offset = state.mem_offset
    with pytest.raises(InternalError, match="memory plan"):
        verify(graph_module)


def test_operand_overwritten_in_one_branch_is_detected() -> None:
    example = Example(Cond(), (torch.tensor(True), torch.ones(3)))
    graph_module, _ = planned(example)
    verify(graph_module)
    scratch = first_result(branches(graph_module)[1])
    shared = next(n.meta["spec"] for n in graph_module.graph.nodes if n.name.startswith("aten_mul"))
    scratch.mem_offset = shared.mem_offset
    with pytest.raises(InternalError, match="are read after another tensor overwrote them"):
        verify(graph_module)


def test_overwritten_condition_is_detected() -> None:
    class Choice(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            flag, y = x.sum() > 0, x * 2
            return torch.cond(flag, lambda a: a + 1, lambda a: a - 1, (y,))

    graph_module, _ = planned(Example(Choice(), (torch.ones(3),)))
    flag, operand = (
        next(n.meta["spec"] for n in graph_module.graph.nodes if n.name.startswith(name))
        for name in ("aten_gt", "aten_mul")
    )
    operand.mem_offset = flag.mem_offset
    with pytest.raises(InternalError, match="are read after another tensor overwrote them"):
        verify(graph_module)


def test_branch_may_overwrite_values_only_the_other_branch_reads() -> None:
    class Choice(torch.nn.Module):
        def forward(self, flag: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
            return torch.cond(flag, lambda a, b: (a - 1) * 3, lambda a, b: a + b, (x, x * 2))

    graph_module, _ = planned(Example(Choice(), (torch.tensor(True), torch.ones(3))))
    operand = next(n.meta["spec"] for n in graph_module.graph.nodes if n.name.startswith("aten_mul"))
    first_result(branches(graph_module)[0]).mem_offset = operand.mem_offset
    verify(graph_module)


def test_tensors_without_bytes_overlap_nothing() -> None:
    class Empty(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.cat([torch.relu(x[:0]), x])

    verify(planned(Example(Empty(), (torch.ones(3),)))[0])


def test_branch_tensor_outside_its_buffer_is_detected() -> None:
    graph_module, _ = planned(Example(Cond(), (torch.tensor(True), torch.ones(3))))
    for branch in branches(graph_module):
        spec = first_result(branch)
        place, spec.mem_offset = spec.mem_offset, 1 << 20
        with pytest.raises(InternalError, match="memory plan: bytes 1048576 to 1048588 exceed buffer 1"):
            verify(graph_module)
        spec.mem_offset = place
    verify(graph_module)


def branches(graph_module: torch.fx.GraphModule) -> list[torch.fx.GraphModule]:
    return [getattr(graph_module, node.target) for node in graph_module.graph.find_nodes(op="get_attr")]


def first_result(branch: torch.fx.GraphModule) -> TensorSpec:
    return next(node for node in branch.graph.nodes if node.op == "call_function").meta["spec"]


class Rows(torch.nn.Module):
    def forward(self, at: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        y, z = x * 2, x * 3
        return torch.index_put(y, (at,), z.sum(0))


def test_in_place_operand_must_still_be_live() -> None:
    edge = to_edge(Example(Rows(), (torch.tensor([1]), torch.ones(4, 8))).export())
    rewrite_in_place(edge.exported_program())
    graph_module = edge.to_executorch().exported_program().graph_module
    verify(graph_module)
    products = [node for node in graph_module.graph.nodes if node.target is torch.ops.aten.mul.out]
    first, second = (node.meta["spec"] for node in products)
    second.mem_offset = first.mem_offset
    assert not is_sound(graph_module)
