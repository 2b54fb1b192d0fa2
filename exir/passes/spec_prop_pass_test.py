"""Tests that every value has a spec with bounded sizes."""

from typing import Any

import pytest
import torch
from torch._higher_order_ops import map as map_rows
from torch.export import Dim, ExportedProgram

from exir.error import ExportError
from exir.graph.control_flow import regions
from exir.passes.spec_prop_pass import SpecPropPass
from exir.passes.sym_shape_eval_pass import HintBasedSymShapeEvalPass
from exir.program import to_edge
from exir.schema import TensorShapeDynamism
from exir.testing import models
from exir.testing.models import Example


class Halves(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        values, indices = x.max(1)
        return values + indices


class Reshape(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x).view(x.shape[0] * 2, -1)


def propagated(example: Example) -> ExportedProgram:
    program = to_edge(example.export()).exported_program()
    done = SpecPropPass()
    done.run(program)
    done.ensures(program)
    return program


def spec_named(program: ExportedProgram, start: str) -> Any:
    return next(n.meta["spec"] for n in program.graph.nodes if n.name.startswith(start))


@pytest.mark.parametrize("name", models.ALL)
def test_every_node_has_a_spec(name: str) -> None:
    propagated(models.ALL[name]())


def test_dynamic_sizes_become_their_upper_bound() -> None:
    program = propagated(models.dynamic_add())
    spec = spec_named(program, "x")
    assert spec.shape == (16, 4)
    assert spec.shape_dynamism == TensorShapeDynamism.DYNAMIC_BOUND


def test_derived_sizes_are_bounded_too() -> None:
    example = Example(Reshape(), (torch.ones(4, 6),), ({0: Dim("n", min=2, max=10)},))
    spec = spec_named(propagated(example), "aten_view_copy")
    assert spec.shape == (20, 3)
    assert spec.dim_order == (0, 1)


class SizedByNumber(torch.nn.Module):
    def forward(self, n: torch.Tensor) -> torch.Tensor:
        return torch.ones(1, n.item())  # type: ignore[arg-type]


def test_data_dependent_size_needs_a_bound_in_the_model() -> None:
    example = Example(SizedByNumber(), (torch.tensor(3),))
    with pytest.raises(
        ExportError,
        match=r"size u0 without .*; its size depends on data: add torch\._check\(size <= maximum\)",
    ):
        propagated(example)


def test_unbounded_size_defaults_to_the_example_with_a_warning() -> None:
    example = Example(models.DynamicAdd(), (torch.ones(3, 4),) * 2, ({0: Dim("n")}, {0: Dim("n")}))
    with pytest.warns(UserWarning, match="dimension 'x.0' has no upper bound, so the example's value 3"):
        program = propagated(example)
    assert spec_named(program, "x").shape == (3, 4)


def test_getitem_has_its_tuples_spec() -> None:
    program = propagated(Example(Halves(), (torch.ones(2, 3),)))
    specs = spec_named(program, "aten_max")
    items = [n for n in program.graph.nodes if n.name.startswith("getitem")]
    assert [item.meta["spec"] for item in items] == [specs[item.args[1]] for item in items]


def test_weights_are_constants_and_mutated_buffers_states() -> None:
    weight = spec_named(propagated(models.mlp()), "p_layers_0_weight")
    assert weight.const and not weight.state and weight.requires_grad
    total = spec_named(propagated(models.counter()), "b_total")
    assert total.state and not total.const


class Nested(torch.nn.Module):
    def forward(self, flag: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        def inner(a: torch.Tensor) -> torch.Tensor:
            return torch.cond(flag, lambda b: b + 1, lambda b: b - 1, (a,))

        return torch.cond(flag, inner, lambda a: a * 3, (x,))


def test_branches_write_the_outermost_conds_tensors() -> None:
    program = propagated(Example(Nested(), (torch.tensor(True), torch.ones(2))))
    outer = spec_named(program, "cond")[0]
    branch = program.graph_module.true_graph_0
    inner = branch.true_graph_0
    for graph_module in (branch, program.graph_module.false_graph_0, inner, branch.false_graph_0):
        assert graph_module.graph.output_node().args[0][0].meta["spec"] is outer


def test_example_inputs_bound_unbounded_sizes() -> None:
    program = to_edge(models.dynamic_add().export()).exported_program()
    HintBasedSymShapeEvalPass().run(program)
    assert spec_named(program, "x").shape == (4, 4)


class PairOfABranch(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.cond(x.sum() > 0, lambda a: tuple(a.max(1)), lambda a: tuple(a.min(1)), (x,))


def test_branch_writes_each_result_of_an_operator_to_its_tensor() -> None:
    program = propagated(Example(PairOfABranch(), (torch.randn(3, 4),)))
    (branching,) = (node for node in program.graph.nodes if regions(node))
    for region in regions(branching):
        assert [result.meta["spec"] for result in region.results] == branching.meta["spec"]


class RowsInABranch(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cond(x.sum() > 0, lambda a: map_rows(lambda row: row * 2, a), lambda a: a + 1, (x,))


def test_loop_filled_tensor_is_not_shared_with_another_branch() -> None:
    program = propagated(Example(RowsInABranch(), (torch.randn(3, 4),)))
    (branching,) = (node for node in program.graph.nodes if regions(node))
    on_true, on_false = (region.results[0] for region in regions(branching))
    assert on_true.target is torch.ops.aten.clone.default
    assert on_true.meta["spec"] is on_false.meta["spec"] is branching.meta["spec"][0]
    assert on_true.args[0].meta["spec"] is not on_true.meta["spec"]
