"""Tests that memory plans are valid and small."""

import operator
import random
import sys
from types import FrameType
from typing import Any

import pytest
import torch
from torch.export.graph_signature import ExportGraphSignature
from torch.fx import Graph, GraphModule

from exir.memory_planning import (
    MemoryPlanningAlgo,
    MemoryPlanningAlgorithmSuite,
    greedy,
    lower_bound,
    naive,
)
from exir.planning.liveness import Lifetime, lifetimes_of
from exir.planning.placement import aligned
from exir.planning.plan_verifier import verify_memory_plan
from exir.tensor import TensorSpec
from exir.testing.networks import network, spec, specs_in

SIGNATURE = ExportGraphSignature([], [])


def overlapping(first: tuple[int, int], second: tuple[int, int]) -> bool:
    return first[0] < second[1] and second[0] < first[1]


@pytest.mark.parametrize("algo", [greedy, naive])
@pytest.mark.parametrize("seed", range(20))
def test_planner_never_overlaps_live_tensors(algo: MemoryPlanningAlgo, seed: int) -> None:
    graph_module = network(random.Random(seed), 40)
    specs = specs_in(graph_module)
    plan = algo(16, specs, graph_module, SIGNATURE, 0)
    lifetimes = lifetimes_of(graph_module)
    for index, one in enumerate(specs):
        for other in specs[:index]:
            if lifetimes[one].overlaps(lifetimes[other]):
                starts = [plan.spec_dict[spec].mem_offset for spec in (one, other)]
                ranges = [(s, s + spec.nbytes()) for s, spec in zip(starts, (one, other))]
                assert not overlapping(*ranges)


@pytest.mark.parametrize("seed", range(20))
def test_greedy_planner_stays_near_the_lower_bound(seed: int) -> None:
    graph_module = network(random.Random(seed), 60)
    specs = specs_in(graph_module)
    size = greedy(16, specs, graph_module, SIGNATURE).bufsizes[1]
    bound = lower_bound(specs, graph_module, 16)
    assert bound <= size <= 1.01 * bound


@pytest.mark.parametrize("seed", [10, 18, 21, 27, 32, 38])
def test_placing_widest_instructions_first_meets_the_lower_bound(seed: int) -> None:
    """For these graphs, only the order by breadth and then size reaches the bound."""
    graph_module = network(random.Random(seed), 20)
    specs = specs_in(graph_module)
    bound = lower_bound(specs, graph_module, 16)
    assert greedy(16, specs, graph_module, SIGNATURE).bufsizes == [0, bound]


def test_greedy_planner_reuses_memory_in_a_chain() -> None:
    graph = Graph()
    node = graph.placeholder("x")
    node.meta["spec"] = spec(100)
    for _ in range(10):
        node = graph.call_function(operator.neg, (node,))
        node.meta["spec"] = spec(100)
    graph.output((node,))
    graph_module = GraphModule({}, graph)
    assert greedy(16, specs_in(graph_module), graph_module, SIGNATURE).bufsizes == [0, 224]


def test_planning_time_grows_linearly_with_tensors() -> None:
    """8× as many tensors take about 8× the work; comparing all pairs would take 64×."""
    assert lines_run(2_000) < 16 * lines_run(250)


def lines_run(count: int) -> int:
    """Return the number of Python lines executed to plan and verify `count` tensors.

    Unlike time, the count is the same on every machine.
    """
    graph_module = network(random.Random(count), count, long_uses=0.01)
    lines = 0

    def count_lines(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal lines
        lines += event == "line"
        return count_lines

    before = sys.gettrace()
    sys.settrace(count_lines)
    try:
        plan_and_verify(graph_module)
    finally:
        sys.settrace(before)
    return lines


def plan_and_verify(graph_module: GraphModule) -> None:
    plan = greedy(16, specs_in(graph_module), graph_module, SIGNATURE)
    for tensor_spec, place in plan.spec_dict.items():
        tensor_spec.mem_id, tensor_spec.mem_offset = place.mem_id, place.mem_offset
    verify_memory_plan(graph_module, plan.bufsizes, 16)


def test_offsets_are_aligned_and_the_end_is_padded() -> None:
    graph_module = network(random.Random(0), 10)
    specs = specs_in(graph_module)
    plain = greedy(64, specs, graph_module, SIGNATURE)
    padded = greedy(64, specs, graph_module, SIGNATURE, 100)
    assert all(place.mem_offset % 64 == 0 for place in plain.spec_dict.values())
    assert padded.bufsizes[1] == plain.bufsizes[1] + 100


def test_naive_planner_shares_no_bytes() -> None:
    graph_module = network(random.Random(0), 10)
    specs = specs_in(graph_module)
    plan = naive(16, specs, graph_module, SIGNATURE)
    assert plan.bufsizes[1] == sum(aligned(spec.nbytes(), 16) for spec in specs)


def test_suite_keeps_the_smallest_plan() -> None:
    graph_module = network(random.Random(0), 30)
    specs = specs_in(graph_module)
    suite = MemoryPlanningAlgorithmSuite([naive, greedy])
    best = greedy(16, specs, graph_module, SIGNATURE)
    assert suite(16, specs, graph_module, SIGNATURE).bufsizes == best.bufsizes


def test_plan_does_not_depend_on_object_identity() -> None:
    plans = []
    for _ in range(2):
        graph_module = network(random.Random(7), 40)
        places = greedy(16, specs_in(graph_module), graph_module, SIGNATURE).spec_dict
        plans.append([places[spec].mem_offset for spec in specs_in(graph_module)])
    assert plans[0] == plans[1]


def test_inputs_are_live_from_the_start_and_states_always() -> None:
    graph = Graph()
    first, state = graph.placeholder("x"), graph.placeholder("state")
    late = graph.placeholder("late")
    first.meta["spec"], state.meta["spec"], late.meta["spec"] = spec(1), spec(2), spec(3)
    state.meta["spec"].state = True
    total = graph.call_function(operator.add, (first, state))
    total.meta["spec"] = spec(4)
    graph.output((graph.call_function(operator.add, (total, late)),))
    lifetimes = lifetimes_of(GraphModule({}, graph))
    assert lifetimes[first.meta["spec"]] == Lifetime(0, 3)
    assert lifetimes[late.meta["spec"]] == Lifetime(0, 4)
    assert lifetimes[state.meta["spec"]] == Lifetime(0, 5)


def test_view_use_extends_its_bases_lifetime() -> None:
    graph = Graph()
    base = graph.placeholder("x")
    base.meta["spec"] = spec(8)
    view = graph.call_function(torch.reshape, (base, (2, 4)))
    view.meta["spec"] = TensorSpec(torch.uint8, (2, 4), (0, 1), base=base.meta["spec"])
    other = graph.call_function(operator.neg, (base,))
    other.meta["spec"] = spec(8)
    graph.output((graph.call_function(operator.add, (other, view)),))
    assert lifetimes_of(GraphModule({}, graph))[base.meta["spec"]] == Lifetime(0, 3)


def test_large_graphs_try_further_placement_orders() -> None:
    """The plans ordered by size and by breadth are 20 % above the bound."""
    graph_module = network(random.Random(1002), 1_000, 0.01)
    specs = specs_in(graph_module)
    plan = greedy(16, specs, graph_module, SIGNATURE)
    assert plan.bufsizes[1] <= 1.06 * lower_bound(specs, graph_module, 16)
