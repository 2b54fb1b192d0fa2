"""Tests that wrong value metadata is rejected.

The error names the pass and the node.
"""

from collections.abc import Callable

import pytest
import torch
from torch.export import Dim
from torch.fx import GraphModule, Node
from torch.fx.passes.infra.pass_base import PassResult

from exir.capture import ExecutorchBackendConfig
from exir.dialects._ops import ops as exir_ops
from exir.error import EdgeDialectError
from exir.passes import SpecPropPass, ToOutVarPass
from exir.program import EdgeProgramManager, to_edge
from exir.testing import models
from exir.testing.models import Example
from exir.verification import values


class Cond(torch.nn.Module):
    def forward(self, flag: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return torch.cond(flag, lambda a: a + 1, lambda a: torch.relu(a) - 1, (x,))


def edge(name: str = "mlp") -> EdgeProgramManager:
    return to_edge(models.ALL[name]().export())


def named(graph_module: GraphModule, prefix: str) -> Node:
    modules = [module for module in graph_module.modules() if isinstance(module, GraphModule)]
    nodes = (node for module in modules for node in module.graph.nodes)
    return next(node for node in nodes if node.name.startswith(prefix))


def liar(prefix: str, lie: Callable[[torch.Tensor], torch.Tensor]) -> Callable[[GraphModule], None]:
    """Return a pass that replaces the metadata of one node with wrong metadata."""

    def lying(graph_module: GraphModule) -> None:
        node = named(graph_module, prefix)
        with node.meta["val"].fake_mode:
            node.meta["val"] = lie(node.meta["val"])

    return lying


LIES = {
    "size": (
        lambda val: val.new_empty(3, 99),
        r"float32\[3, 99\], but the operator computes float32\[3, 16\]",
    ),
    "rank": (
        lambda val: val.new_empty(48),
        r"float32\[48\], but the operator computes float32\[3, 16\]",
    ),
    "dtype": (
        lambda val: val.to(torch.float16),
        r"float16\[3, 16\], but the operator computes float32\[3, 16\]",
    ),
    "layout": (
        lambda val: val.t().contiguous().t(),
        r"float32\[3, 16\] in dim order \[1, 0\], but the operator computes float32\[3, 16\]",
    ),
}


@pytest.mark.parametrize("kind", LIES)
def test_wrong_metadata_of_a_lowering_pass_is_refused(kind: str) -> None:
    lie, message = LIES[kind]
    config = ExecutorchBackendConfig(passes=[liar("aten_relu", lie)])
    with pytest.raises(EdgeDialectError, match=message) as caught:
        edge().to_executorch(config)
    assert (caught.value.pass_name, caught.value.node_name) == ("lying", "aten_relu_default")
    assert "exir/testing/models.py" in str(caught.value)


@pytest.mark.parametrize("kind", ["size", "rank", "layout"])
def test_wrong_metadata_of_an_edge_pass_is_refused(kind: str) -> None:
    lie, message = LIES[kind]
    with pytest.raises(EdgeDialectError, match=message) as caught:
        edge().transform([liar("aten_relu", lie)])
    assert (caught.value.pass_name, caught.value.node_name) == ("lying", "aten_relu_default")


def test_size_invalidated_by_a_changed_operator_is_refused() -> None:
    def transpose_instead(graph_module: GraphModule) -> None:
        node = named(graph_module, "aten_relu")
        node.target = exir_ops.edge.aten.permute_copy.default
        node.args = (node.args[0], [1, 0])

    with pytest.raises(
        EdgeDialectError, match=r"float32\[3, 16\], but the operator computes float32\[16, 3\]"
    ):
        edge().transform([transpose_instead])


def test_operator_that_does_not_match_its_operands_is_refused() -> None:
    def add_weights(graph_module: GraphModule) -> None:
        node = named(graph_module, "aten_relu")
        weight = graph_module.graph.find_nodes(op="placeholder")[0]
        node.target = exir_ops.edge.aten.mul.Tensor
        node.args = (node.args[0], weight)

    with pytest.raises(EdgeDialectError, match="mul.Tensor: invalid operands"):
        edge().transform([add_weights])


def test_invented_bound_of_a_dynamic_size_is_refused() -> None:
    config = ExecutorchBackendConfig(passes=[liar("aten_add", lambda val: val.new_empty(2, 4))])
    with pytest.raises(
        EdgeDialectError, match=r"float32\[2, 4\], but the operator computes float32\[s\d+, 4\]"
    ):
        edge("dynamic_add").to_executorch(config)


def test_wrong_metadata_inside_a_branch_is_refused() -> None:
    manager = to_edge(Example(Cond(), (torch.tensor(True), torch.ones(3))).export())
    config = ExecutorchBackendConfig(passes=[liar("aten_relu", lambda val: val.new_empty(5))])
    with pytest.raises(EdgeDialectError, match=r"float32\[5\], but the operator computes float32\[3\]"):
        manager.to_executorch(config)


def test_wrong_control_flow_metadata_is_refused() -> None:
    def lying(graph_module: GraphModule) -> None:
        node = named(graph_module, "cond")
        with node.meta["val"][0].fake_mode:
            node.meta["val"] = (node.meta["val"][0].new_empty(1),)

    manager = to_edge(Example(Cond(), (torch.tensor(True), torch.ones(3))).export())
    with pytest.raises(
        EdgeDialectError, match=r"\(float32\[1\]\), but the operator computes \(float32\[3\]\)"
    ):
        manager.to_executorch(ExecutorchBackendConfig(passes=[lying]))


class Largest(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.max(1)[0]


def test_wrong_metadata_of_one_result_is_refused() -> None:
    manager = to_edge(Example(Largest(), (torch.ones(2, 3),)).export())
    with pytest.raises(EdgeDialectError, match=r"float32\[3\], but the operator computes float32\[2\]"):
        manager.transform([liar("getitem", lambda val: val.new_empty(3))])


class Doubled(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.new_ones(x.shape[0] * 2)


def test_wrong_size_is_refused() -> None:
    example = Example(Doubled(), (torch.ones(3),), dynamic_shapes={"x": {0: Dim("n", min=2, max=8)}})

    def lying(graph_module: GraphModule) -> None:
        size = named(graph_module, "mul")
        size.meta["val"] = size.meta["val"] + 1

    with pytest.raises(EdgeDialectError, match="but the operator computes 2") as caught:
        to_edge(example.export()).transform([lying])
    assert (caught.value.pass_name, caught.value.node_name) == ("lying", "mul")


class LyingToOutVar(ToOutVarPass):
    """Converts to out variants, then shrinks the first product's metadata."""

    def run(self, program):
        program = super().run(program)
        node = named(program.graph_module, "aten_addmm")
        with node.meta["val"].fake_mode:
            node.meta["val"] = node.meta["val"].new_empty(3, 15)
        return program


def test_wrong_out_variant_metadata_is_refused() -> None:
    config = ExecutorchBackendConfig(to_out_var_pass=LyingToOutVar())
    with pytest.raises(
        EdgeDialectError,
        match=r"invalid operands|does not match meta|\[3, 15\], but the operator computes float32\[3, 16\]",
    ):
        edge().to_executorch(config)


def test_checked_operator_is_not_executed_again_as_an_out_variant(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    executed: list[str] = []
    monkeypatch.setattr(values, "_check_value", lambda node: executed.append(node.name))
    program = SpecPropPass().run(edge().exported_program())
    check = values.ValueChecker(program)
    check(ToOutVarPass().run(program))
    assert executed == []


def test_correct_change_is_accepted() -> None:
    """A pass that sets correct metadata is accepted, for new and for dynamic sizes."""

    def double(graph_module: GraphModule) -> PassResult:
        node = named(graph_module, "aten_add")
        with graph_module.graph.inserting_after(node):
            new = graph_module.graph.call_function(exir_ops.edge.aten.cat.default, ([node, node], 0))
        node.replace_all_uses_with(new, delete_user_cb=lambda user: user is not new)
        with node.meta["val"].fake_mode:
            new.meta["val"] = torch.cat([node.meta["val"], node.meta["val"]])
        return PassResult(graph_module, True)

    n = Dim("n", min=2, max=16)
    example = Example(
        models.DynamicAdd(), (torch.ones(4, 4), torch.ones(4, 4)), {"x": {0: n}, "y": {0: n}}
    )
    manager = to_edge(example.export()).to_executorch(ExecutorchBackendConfig(passes=[double]))
    (method,) = manager.report.methods
    assert method.outputs[0].shape == (32, 4)


class Prefix(torch.nn.Module):
    def forward(self, x: torch.Tensor, n: int) -> torch.Tensor:
        return x[..., : n // 2 % 4] + 1


def test_size_that_is_one_in_the_example_may_be_stated_as_an_expression() -> None:
    def generalize(graph_module: GraphModule) -> None:
        val = named(graph_module, "aten_slice").meta["val"]
        with val.fake_mode:
            named(graph_module, "aten_add").meta["val"] = val.new_empty(3, val.shape[1] ** 2)

    exported = torch.export.export(
        Prefix(), (torch.ones(3, 9), 3), dynamic_shapes=(None, torch.export.Dim.DYNAMIC)
    )
    manager = to_edge(exported).transform([generalize])
    size = named(manager.exported_program().graph_module, "aten_add").meta["val"].shape[1]
    assert isinstance(size, torch.SymInt) and size.node.hint == 1


class Nonzero(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.nonzero() * 2


def test_sizes_that_depend_on_data_are_compared_without_a_guard() -> None:
    same = to_edge(Example(Nonzero(), (torch.ones(3, 2),)).export()).transform(
        [liar("aten_mul", lambda val: val.new_empty(val.shape))]
    )
    assert isinstance(
        named(same.exported_program().graph_module, "aten_mul").meta["val"].shape[0], torch.SymInt
    )
