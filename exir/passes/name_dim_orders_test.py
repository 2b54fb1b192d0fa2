"""Tests that layouts are expressed as dim orders."""

import pytest
import torch

from exir.decomposition.decompose import to_core_aten
from exir.passes.name_dim_orders import NameDimOrders
from exir.tensor import TensorSpec
from exir.testing import programs
from exir.testing.graphs import assert_same, calls, operator_names, run, run_module
from exir.testing.models import Example


def _name_dim_orders(name: str):
    example = programs.CASES[name]()
    return example, NameDimOrders().run(to_core_aten(example.export(), {}))


def test_dim_order_program_matches_eager_results_and_layouts() -> None:
    example, program = _name_dim_orders("memory_formats")
    found = run(program, example.inputs)
    expected = run_module(example.module, example.inputs)
    assert_same(found, expected)
    assert [t.stride() for t in found] == [t.stride() for t in expected]


def test_copies_have_dim_orders_instead_of_memory_formats() -> None:
    _, program = _name_dim_orders("memory_formats")
    copies = [node for node in calls(program) if "dim_order_ops" in str(node.target)]
    assert copies[0].kwargs["dim_order"] == [0, 2, 3, 1]
    assert all("memory_format" not in node.kwargs for node in copies)
    assert not {"aten::clone", "aten::_to_copy"} & set(operator_names(program))


def test_dtype_is_an_argument_only_where_it_changes() -> None:
    _, program = _name_dim_orders("mixed_dtypes")
    casts = [n for n in calls(program) if str(n.target).endswith("_to_dim_order_copy.default")]
    assert casts and all(
        node.kwargs["dtype"] == node.meta["val"].dtype != node.args[0].meta["val"].dtype
        for node in casts
    )
    assert torch.float16 in {node.kwargs["dtype"] for node in casts}


def test_empty_tensors_have_the_contiguous_dim_order() -> None:
    class Unfolded(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x.unfold(-2, 1, 2).bool()

    exported = Example(Unfolded(), (torch.randn(1, 1, 0),)).export()
    program = NameDimOrders().run(to_core_aten(exported, {}))
    (copy,) = (node for node in calls(program) if "dim_order" in node.kwargs)
    assert copy.kwargs["dim_order"] == [0, 1, 2, 3]


@pytest.mark.parametrize("shape", [(2, 1, 4, 3), (2, 3, 1, 1), (2, 1, 1, 4)])
def test_copies_name_the_dim_order_of_the_plan(shape: tuple[int, ...]) -> None:
    """One channel or one pixel is in channels-last and in row-major order."""

    class Rounded(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x.floor().long()

    x = torch.randn(shape).to(memory_format=torch.channels_last)
    program = NameDimOrders().run(to_core_aten(Example(Rounded(), (x,)).export(), {}))
    (copy,) = (node for node in calls(program) if "dim_order" in node.kwargs)
    assert tuple(copy.kwargs["dim_order"]) == TensorSpec.from_tensor(copy.meta["val"]).dim_order
