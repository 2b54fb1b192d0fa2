"""Tests that shape-only copies share memory if results stay the same."""

from collections.abc import Callable

import pytest
import torch
from torch.export import Dim, ExportedProgram

from exir import memory
from exir.graph.control_flow import regions
from exir.graph.in_place import clone_before
from exir.passes.insert_write_back_for_buffers_pass import InsertWriteBackForBuffersPass
from exir.passes.replace_view_copy_with_view_pass import ReplaceViewCopyWithViewPass
from exir.passes.spec_prop_pass import SpecPropPass
from exir.program import to_edge
from exir.testing.graphs import calls, operator_names, rewrite_in_place
from exir.testing.models import Example

Function = Callable[..., object]


class Call(torch.nn.Module):
    """Wraps a function as a module, with a buffer of four elements."""

    def __init__(self, function: Function) -> None:
        super().__init__()
        self.register_buffer("state", torch.zeros(4))
        self.function = function

    def forward(self, x: torch.Tensor) -> object:
        return self.function(self, x)


def replaced(
    function: Function, dynamic: bool = False, done: ReplaceViewCopyWithViewPass | None = None
) -> ExportedProgram:
    shapes = ({0: Dim("n", min=2, max=8)},) if dynamic else None
    example = Example(Call(function), (torch.randn(4, 6),), shapes)
    program = to_edge(example.export()).exported_program()
    rewrite_in_place(program)
    for pass_ in (
        InsertWriteBackForBuffersPass(),
        SpecPropPass(),
        done or ReplaceViewCopyWithViewPass(),
    ):
        program = pass_.run(program)
    program.graph.lint()
    return program


def views(program: ExportedProgram) -> list[torch.fx.Node]:
    return program.graph.find_nodes(op="call_function", target=memory.view)


def test_view_of_an_intermediate_shares_its_memory() -> None:
    program = replaced(lambda m, x: torch.relu(x).view(3, 8) + 1)
    (view,) = views(program)
    assert view.meta["spec"].storage is view.args[0].meta["spec"]
    assert view.meta["spec"].shape == (3, 8)


def test_unsqueeze_squeeze_and_chains_share_one_storage() -> None:
    program = replaced(lambda m, x: torch.relu(x).unsqueeze(1).squeeze(1).view(24).view(2, 12) + 1)
    storages = {view.meta["spec"].storage for view in views(program)}
    assert len(storages) == 1


def test_view_of_an_input_that_is_returned_stays_a_copy() -> None:
    assert not views(replaced(lambda m, x: x.view(24)))


def test_view_of_an_intermediate_that_is_returned_shares_memory_once() -> None:
    def both(_: Call, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        y = torch.relu(x)
        return y.view(24), y.view(2, 12)

    assert len(views(replaced(both))) == 0 or len(views(replaced(both))) == 1


def test_returned_views_stay_copies_with_caller_provided_outputs() -> None:
    done = ReplaceViewCopyWithViewPass(alias_outputs=False)
    assert not views(replaced(lambda m, x: torch.relu(x).view(24), done=done))
    program = replaced(lambda m, x: (y := torch.relu(x), y.view(24) + 1), done=done)
    assert not views(program)


def test_input_views_stay_copies_with_caller_provided_inputs() -> None:
    done = ReplaceViewCopyWithViewPass(alias_inputs=False)
    assert not views(replaced(lambda m, x: x.view(24) + 1, done=done))
    assert views(replaced(lambda m, x: x.view(24) + 1))


def test_view_that_is_written_back_stays_a_copy() -> None:
    def step(model: Call, x: torch.Tensor) -> torch.Tensor:
        model.state.copy_(torch.relu(x).view(6, 4)[0].view(2, 2).view(4))
        return x + 1

    program = replaced(step)
    (copy,) = program.graph.find_nodes(op="call_function", target=torch.ops.aten.copy_.default)
    assert copy.args[1].target is not memory.view


def test_view_of_a_channels_last_tensor_stays_a_copy() -> None:
    def last(_: Call, x: torch.Tensor) -> torch.Tensor:
        image = x.view(1, 2, 3, 4).to(memory_format=torch.channels_last)
        return torch.relu(image).unsqueeze(0) + 1

    program = replaced(last)
    assert all(view.args[0].meta["spec"].is_contiguous for view in views(program))


def test_dynamic_view_keeps_its_size_expressions() -> None:
    program = replaced(lambda m, x: torch.relu(x).view(x.shape[0] * 2, 3) + 1, dynamic=True)
    (view,) = views(program)
    assert isinstance(view.args[1][0], torch.fx.Node)
    assert not view.meta["spec"].is_static


def test_copy_to_the_same_dtype_and_layout_is_removed() -> None:
    example = Example(Call(lambda m, x: torch.relu(x) + 1), (torch.randn(4, 6),))
    program = to_edge(example.export()).exported_program()
    relu, add = calls(program)
    add.update_arg(0, clone_before(add, relu))
    program = ReplaceViewCopyWithViewPass().run(SpecPropPass().run(program))
    assert operator_names(program) == ["aten::relu", "aten::add.Tensor"]


def test_copy_between_equivalent_dim_orders_is_a_view() -> None:
    """Later nodes have the layout of the copy."""

    class Padded(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv = torch.nn.Conv2d(3, 4, 3)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.nn.functional.pad(self.conv(x), (1, 2, 0, 1)) + 1

    x = torch.randn(2, 3, 3, 3).to(memory_format=torch.channels_last)
    manager = to_edge(Example(Padded().eval(), (x,)).export()).to_executorch()
    (view,) = views(manager.exported_program())
    assert view.meta["val"].is_contiguous()


class _Upsampled(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = torch.nn.Conv2d(1, 2, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.conv(torch.nn.functional.pixel_shuffle(x, 2))


@pytest.mark.parametrize("dims", [(0,), (0, 2, 3)])
def test_dynamic_copy_between_equivalent_dim_orders_is_a_view(dims: tuple[int, ...]) -> None:
    """The layout of the convolution depends on the strides of the copy."""
    x = torch.randn(2, 4, 5, 6).to(memory_format=torch.channels_last)
    sizes = {dim: Dim(f"size{dim}", min=2, max=8) for dim in dims}
    manager = to_edge(Example(_Upsampled(), (x,), (sizes,)).export()).to_executorch()
    copy = views(manager.exported_program())[-1]
    assert copy.meta["val"].stride(1) == 1
    assert [dim for dim, size in enumerate(copy.args[1]) if isinstance(size, torch.fx.Node)] == list(
        dims
    )


def test_dynamic_copy_between_equivalent_dim_orders_is_not_executed() -> None:
    """The runtime stores such a tensor row-major, and rejects copies to another order."""

    class Pooled(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            pooled = torch.nn.functional.max_pool2d(x, (3, 2), 2, 1, ceil_mode=True)
            return torch.nn.functional.pixel_unshuffle(pooled, 1).neg()

    x = torch.randn(3, 1, 8, 5).as_strided((3, 1, 8, 5), (40, 1, 5, 1))
    example = Example(Pooled(), (x,), ({0: Dim("n", min=2, max=8)},))
    program = to_edge(example.export()).to_executorch().exported_program()
    assert not [name for name in operator_names(program) if name.startswith("dim_order_ops::")]


def _with_a_row_set(x: torch.Tensor) -> torch.Tensor:
    return torch.index_put(x, (torch.tensor([1]),), torch.zeros(6))


def test_view_of_a_later_mutated_tensor_stays_a_copy() -> None:
    def function(m: object, x: torch.Tensor) -> object:
        y = torch.relu(x)
        before = y.view(24)
        return _with_a_row_set(y) + 1, before + 1

    assert not views(replaced(function))


def test_later_mutated_view_stays_a_copy() -> None:
    def function(m: object, x: torch.Tensor) -> object:
        y = torch.relu(x)
        return _with_a_row_set(y.view(2, 2, 6).view(4, 6)) + 1, y + 1

    (view,) = views(replaced(function))
    assert view.meta["spec"].shape == (2, 2, 6)


def test_view_of_an_earlier_mutated_tensor_shares_memory() -> None:
    (view,) = views(replaced(lambda m, x: _with_a_row_set(torch.relu(x)).view(24) + 1))
    assert view.meta["spec"].storage is view.args[0].meta["spec"].storage


def test_control_flow_operands_may_be_views() -> None:
    def function(m: Call, x: torch.Tensor) -> torch.Tensor:
        view = (x * 2).view(6, 4)
        return torch.cond(x.sum() > 0, lambda a: a.sin(), lambda a: a * 2, (view,))

    program = replaced(function)
    (view,) = (node for node in calls(program) if node.target is memory.view)
    (branching,) = (node for node in view.users if regions(node))
    for region in regions(branching):
        placeholder, operand = region.bindings[0]
        assert operand is view and placeholder.meta["spec"] is view.meta["spec"]
    assert view.meta["spec"].base is not None


def test_copy_read_by_control_flow_has_memory() -> None:
    def function(m: Call, x: torch.Tensor) -> torch.Tensor:
        copy = torch.ops.aten.clone.default(x * 2)
        return torch.cond(x.sum() > 0, lambda a: a.sin(), lambda a: a * 2, (copy,))

    program = replaced(function)
    (branching,) = (node for node in calls(program) if regions(node))
    for region in regions(branching):
        placeholder, operand = region.bindings[0]
        assert placeholder.meta["spec"] is operand.meta["spec"]
