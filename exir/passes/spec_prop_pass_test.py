"""Tests that every value has a spec with bounded sizes."""

from typing import Any

import pytest
import torch
from torch._higher_order_ops import map as map_rows
from torch._higher_order_ops import while_loop
from torch.export import Dim, ExportedProgram

from exir.error import ExportError, InternalError
from exir.graph.control_flow import regions
from exir.graph.edit import replace_and_erase
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
    assert total.state and not total.const and not total.requires_grad


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


class Constant(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + torch.tensor([1.0, 2.0])


def test_tensors_in_the_code_of_a_module_are_constants() -> None:
    program = propagated(Example(Constant(), (torch.ones(2),)))
    constant = spec_named(program, "c_")
    assert constant.const and not constant.state and not constant.requires_grad
    assert not spec_named(program, "x").const


def test_node_without_a_spec_is_an_internal_error() -> None:
    program = propagated(models.mlp())
    del next(node for node in program.graph.nodes if node.op == "call_function").meta["spec"]
    with pytest.raises(InternalError, match="no spec"):
        SpecPropPass().ensures(program)


def test_size_above_the_file_formats_limit_is_refused() -> None:
    limits = {}
    for largest in (2**31 - 1, 2**31):
        example = Example(models.DynamicAdd(), (torch.ones(3),) * 2, ({0: Dim("n", max=largest)},) * 2)
        limits[largest] = to_edge(example.export()).exported_program()
    SpecPropPass().run(limits[2**31 - 1])
    assert spec_named(limits[2**31 - 1], "x").shape == (2**31 - 1,)
    with pytest.raises(ExportError, match=r"dimension 0 of 'x' .*; set the max of its torch.export.Dim"):
        SpecPropPass().run(limits[2**31])


class IntegerOfABranch(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> Any:
        return torch.cond(x.sum() > 0, lambda a: (a * 2, 1), lambda a: (a.sin(), 2), (x,))


def test_integer_of_a_branch_has_no_spec() -> None:
    program = propagated(Example(IntegerOfABranch(), (torch.randn(3),)))
    (branching,) = (node for node in program.graph.nodes if regions(node))
    tensor, integer = branching.meta["spec"]
    assert integer is None
    assert [region.results[0].meta["spec"] for region in regions(branching)] == [tensor, tensor]


class Loop(torch.nn.Module):
    """Carries a factor that stays equal, a tensor that stays equal, and a product."""

    def forward(self, x: torch.Tensor) -> Any:
        return while_loop(
            lambda i, factor, same, product: i < 3,
            lambda i, factor, same, product: (i + 1, factor, same.clone(), product * factor),
            (0, 2, x, x * 1),
        )


def test_carried_values_are_copied_only_where_the_body_returns_them() -> None:
    program = propagated(Example(Loop(), (torch.randn(3),)))
    (loop,) = (node for node in program.graph.nodes if regions(node))
    body = regions(loop)[1]
    copies = [node for node in body.graph_module.graph.nodes if "clone" in str(node.target)]
    assert [body.results.index(node) for node in copies] == [2]
    assert body.results[1] is body.carriers[1]
    assert [carrier.meta["spec"] for carrier in body.carriers[2:]] == loop.meta["spec"][2:]


class Swap(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> Any:
        return while_loop(
            lambda i, a, b: i < 3, lambda i, a, b: (i + 1, b.clone(), a.clone()), (0, x, x * 2)
        )


def test_carried_values_that_a_body_returns_are_copied() -> None:
    """A pass may remove the copies that torch.export requires."""
    program = to_edge(Example(Swap(), (torch.randn(3),)).export()).exported_program()
    (loop,) = (node for node in program.graph.nodes if regions(node))
    body = regions(loop)[1]
    for copy in [node for node in body.graph_module.graph.nodes if "clone" in str(node.target)]:
        replace_and_erase(copy, copy.args[0])
    assert body.results[1:] == body.carriers[:0:-1]
    SpecPropPass().run(program)
    copies = body.results[1:]
    assert [copy.args[0] for copy in copies] == body.carriers[:0:-1]
    carried = [carrier.meta["spec"] for carrier in body.carriers]
    assert all(copy.meta["spec"] is not spec for copy in copies for spec in carried)


class Rows(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return map_rows(lambda row: row.sin(), x)


def test_rows_of_a_loop_are_appended_to_a_dynamic_tensor() -> None:
    program = propagated(Example(Rows(), (torch.randn(3, 4),)))
    (loop,) = (node for node in program.graph.nodes if regions(node))
    (region,) = regions(loop)
    assert loop.meta["spec"][0].shape_dynamism == TensorShapeDynamism.DYNAMIC_BOUND
    assert [node.meta["spec"].shape for node in (*region.slices, *region.results)] == [(4,), (4,)]
    assert spec_named(program, "x").shape_dynamism == TensorShapeDynamism.STATIC


class PairUsedTwice(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> Any:
        def largest(a: torch.Tensor) -> Any:
            values, indices = a.max(1)
            return values, indices

        def smallest(a: torch.Tensor) -> Any:
            values, indices = a.min(1)
            return values * values, indices

        return torch.cond(x.sum() > 0, largest, smallest, (x,))


def test_branch_computes_only_its_results_into_the_control_flows_tensors() -> None:
    program = propagated(Example(PairUsedTwice(), (torch.randn(3, 4),)))
    (branching,) = (node for node in program.graph.nodes if regions(node))
    values, indices = branching.meta["spec"]
    minimum = next(n for n in regions(branching)[1].graph_module.graph.nodes if "min" in str(n.target))
    assert minimum.meta["spec"][0] is not values and minimum.meta["spec"][1] is indices
    items = [user for user in minimum.users if user.meta["spec"] is indices]
    assert [item.args[1] for item in items] == [1]
