"""Tests of control flow through regions."""

from typing import Any

import pytest
import torch
from torch.fx import Node

from exir.error import InternalError
from exir.graph.control_flow import START, graphs, regions
from exir.pass_manager import run_passes
from exir.passes import MemoryPlanningPass, SpecPropPass, ToOutVarPass
from exir.planning.plan_verifier import verify_memory_plan
from exir.program import to_edge
from exir.testing.models import Example


class Nested(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        def inner(a: torch.Tensor) -> torch.Tensor:
            return torch.cond(a.sum() > 1, lambda b: b + 1, lambda b: b - 1, (a,))

        return torch.cond(x.sum() > 0, inner, lambda a: a * 3, (x,))


class Loop(torch.nn.Module):
    def forward(self, count: torch.Tensor, x: torch.Tensor) -> Any:
        step = x * 2
        return torch._higher_order_ops.while_loop(
            lambda n, a: n < 5, lambda n, a: (n + 1, torch.relu(a + step) * step), (count, x)
        )


class Rows(torch.nn.Module):
    def forward(self, rows: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return torch._higher_order_ops.map(lambda row, x: row * x, rows, x)


class Scan(torch.nn.Module):
    def forward(self, start: torch.Tensor, rows: torch.Tensor) -> Any:
        last = rows.sum(0)
        return torch._higher_order_ops.scan(lambda total, row: (total + row, total * last), start, rows)


def edge_graph(module: torch.nn.Module, *inputs: torch.Tensor) -> torch.fx.GraphModule:
    return to_edge(Example(module, inputs).export()).exported_program().graph_module


def control_flow_of(graph_module: torch.fx.GraphModule) -> Node:
    return next(node for node in graph_module.graph.nodes if regions(node))


def test_cond_runs_one_of_two_graphs_on_its_operands() -> None:
    node = control_flow_of(edge_graph(Nested(), torch.ones(3)))
    on_true, on_false = regions(node)
    for region in (on_true, on_false):
        ((placeholder, operand),) = region.bindings
        assert placeholder.op == "placeholder" and operand in node.all_input_nodes
        assert region.values == (0,) and region.after == (START,) and region.is_last
        assert not region.carried and not region.carried_results
        assert len(region.results) == 1
    assert on_true.graph_module is not on_false.graph_module


def test_nested_graphs_are_found_at_every_depth() -> None:
    assert len(list(graphs(edge_graph(Nested(), torch.ones(3))))) == 5


def test_ordinary_nodes_have_no_graphs() -> None:
    graph_module = edge_graph(torch.nn.ReLU(), torch.ones(3))
    assert not any(regions(node) for node in graph_module.graph.nodes)


def test_while_loop_runs_its_body_after_its_condition() -> None:
    node = control_flow_of(edge_graph(Loop(), torch.tensor(0), torch.ones(3)))
    condition, body = regions(node)
    assert condition.after == (START, 1) and condition.is_last and not condition.carried_results
    assert body.after == (0,) and not body.is_last
    assert condition.carried == body.carried == body.carried_results == (0, 1)


def test_map_passes_rows_and_stacks_results() -> None:
    node = control_flow_of(edge_graph(Rows(), torch.ones(4, 3), torch.ones(3)))
    (body,) = regions(node)
    assert body.after == (START, 0) and body.is_last and not body.carried
    (row,) = body.slices
    assert body.sliced == body.stacked == (0,) and row.meta["val"].shape == (3,)


def test_scan_has_a_carry() -> None:
    node = control_flow_of(edge_graph(Scan(), torch.ones(3), torch.ones(4, 3)))
    (body,) = regions(node)
    assert body.carried == body.carried_results == (0,) and body.sliced == body.stacked == (1,)
    assert len(body.bindings) == 3


@pytest.fixture
def planned_loop() -> torch.fx.GraphModule:
    example = Example(Loop(), (torch.tensor(0), torch.ones(3)))
    program = to_edge(example.export()).exported_program()
    passes = [SpecPropPass(), ToOutVarPass(), MemoryPlanningPass()]
    return run_passes(program, passes).graph_module


def test_loop_is_planned_by_its_regions(planned_loop: torch.fx.GraphModule) -> None:
    node = control_flow_of(planned_loop)
    for region in regions(node):
        assert [carrier.meta["spec"] for carrier in region.carriers] == node.meta["spec"]
    verify(planned_loop)


def test_overwritten_carry_of_a_loop_is_found(planned_loop: torch.fx.GraphModule) -> None:
    """The second iteration reads the outer `x * 2`, which the first one overwrote."""
    node = control_flow_of(planned_loop)
    step = regions(node)[1].bindings[2][1].meta["spec"].storage
    scratch = next(n for n in regions(node)[1].graph_module.graph.nodes if "add_tensor_1" in n.name)
    scratch.meta["spec"].mem_offset = step.mem_offset
    with pytest.raises(InternalError, match="are read after another tensor overwrote them"):
        verify(planned_loop)


@pytest.mark.parametrize("module", [Rows(), Scan()])
def test_filled_rows_stay_live_during_a_loop(module: torch.nn.Module) -> None:
    """A body's results may share memory with temporaries, but not with finished rows."""
    sizes = {Rows: ((4, 3), (3,)), Scan: ((3,), (4, 3))}[type(module)]
    example = Example(module, tuple(torch.ones(size) for size in sizes))
    program = to_edge(example.export()).exported_program()
    passes = [SpecPropPass(), ToOutVarPass(), MemoryPlanningPass()]
    graph_module = run_passes(program, passes).graph_module
    verify(graph_module)
    node = control_flow_of(graph_module)
    (body,) = regions(node)
    rows, row = node.meta["spec"][body.stacked[0]], body.slices[0].meta["spec"]
    row.mem_offset = rows.mem_offset
    with pytest.raises(InternalError, match="are read after another tensor overwrote them"):
        verify(graph_module)


def verify(graph_module: torch.fx.GraphModule) -> None:
    verify_memory_plan(graph_module, graph_module.meta["non_const_buffer_sizes"], 16)
