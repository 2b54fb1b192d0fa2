"""Tests that instructions map to debug handles, delegates and numbers of results."""

import torch
from torch import Tensor, nn
from torch.export import export

from backends.demo.compiler_demo import BackendWithCompilerDemo, CompilerDemoPartitioner
from exir.backend.backend_api import to_backend
from exir.delegate import delegate_calls, lowered_module_of
from exir.program import EdgeProgramManager, to_edge


class _SplitByADelegate(nn.Module):
    """An operator, a delegate of two operators and two results, and an operator."""

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        once = torch.sin(torch.relu(x))
        return torch.relu(once), once * once


def _edge() -> EdgeProgramManager:
    edge = to_edge(export(_SplitByADelegate(), (torch.ones(3),)))
    return edge.to_backend(CompilerDemoPartitioner())


def test_operator_has_a_handle_and_delegate_those_of_its_operators() -> None:
    handles = _edge().to_executorch().debug_handle_map["forward"]
    first, delegate, second = (handles[index] for index in range(3))
    assert len(handles) == 3
    assert isinstance(delegate, list) and len(delegate) == 2
    assert len({first, *delegate, second}) == 4


def test_nodes_without_a_handle_are_omitted() -> None:
    edge = _edge()
    (call,) = delegate_calls(edge.exported_program().graph)
    body = lowered_module_of(call).original_module.graph
    del next(node for node in body.nodes if node.op == "call_function").meta["debug_handle"]
    relu = next(node for node in edge.exported_program().graph.nodes if node.op == "call_function")
    del relu.meta["debug_handle"]
    handles = edge.to_executorch().debug_handle_map["forward"]
    assert list(handles) == [1, 2]
    assert len(handles[1]) == 1


def test_delegate_call_has_its_backend_and_number_of_results() -> None:
    program = _edge().to_executorch()
    assert program.instruction_id_to_num_outs_map == {"forward": {1: 2}}
    delegates = program.delegate_map["forward"]
    assert list(delegates) == [1]
    assert delegates[1]["name"] == BackendWithCompilerDemo.__name__
    handles = program.debug_handle_map["forward"][1]
    assert delegates[1]["delegate_map"] == {index: (handle,) for index, handle in enumerate(handles)}


def test_call_of_a_lowered_module_with_one_result_is_counted() -> None:
    class Sine(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return torch.sin(x)

    class Whole(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            program = to_edge(export(Sine(), (torch.ones(3),))).exported_program()
            self.lowered = to_backend(BackendWithCompilerDemo.__name__, program, [])

        def forward(self, x: Tensor) -> Tensor:
            return torch.relu(self.lowered(x))

    program = to_edge(export(Whole(), (torch.ones(3),))).to_executorch()
    assert program.instruction_id_to_num_outs_map == {"forward": {0: 1}}


def test_delegate_without_debug_data_has_an_empty_map() -> None:
    """A program that was saved and loaded has no `meta` of its lowered modules."""
    edge = _edge()
    (call,) = delegate_calls(edge.exported_program().graph)
    lowered_module_of(call).meta.clear()
    assert edge.to_executorch().delegate_map["forward"][1]["delegate_map"] == {}
