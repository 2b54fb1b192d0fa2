"""Every value gets a spec, with sizes bounded."""

import pytest
import torch
from torch.export import Dim, ExportedProgram

from exir.error import ExportError
from exir.passes.spec_prop_pass import SpecPropPass
from exir.program import to_edge
from exir.schema import TensorShapeDynamism
from exir.tensor import TensorSpec
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


def spec_named(program: ExportedProgram, start: str) -> TensorSpec:
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


def test_size_without_upper_bound_is_an_error_that_names_the_dimension() -> None:
    example = Example(models.DynamicAdd(), (torch.ones(3, 4),) * 2, ({0: Dim("n")}, {0: Dim("n")}))
    with pytest.raises(ExportError, match="dimension 0 of 'x' has size .* without an upper bound"):
        propagated(example)


def test_item_of_a_tuple_has_the_tuples_spec() -> None:
    program = propagated(Example(Halves(), (torch.ones(2, 3),)))
    specs = spec_named(program, "aten_max")
    items = [n for n in program.graph.nodes if n.name.startswith("getitem")]
    assert [item.meta["spec"] for item in items] == [specs[item.args[1]] for item in items]


def test_weights_are_constants_and_mutated_buffers_are_states() -> None:
    weight = spec_named(propagated(models.mlp()), "p_layers_0_weight")
    assert weight.const and not weight.state and weight.requires_grad
    total = spec_named(propagated(models.counter()), "b_total")
    assert total.state and not total.const
