"""Tests of passes that are written as interpreters."""

import pytest
import torch

from exir import to_edge
from exir.dialects._ops import ops as exir_ops
from exir.pass_base import ExportPass, ExportPassBaseError, ProxyValue
from exir.testing import models, programs
from exir.testing.graphs import assert_same, calls, operator_names, run, run_module

RELU = exir_ops.edge.aten.relu.default
SIGMOID = exir_ops.edge.aten.sigmoid.default
ADD = exir_ops.edge.aten.add.Tensor
CASES = {**models.ALL, **programs.CASES}


class ReluToSigmoid(ExportPass):
    def call_operator(self, op, args, kwargs, meta):
        return super().call_operator(SIGMOID if op == RELU else op, args, kwargs, meta)


class AddOneAfterRelu(ExportPass):
    def call_operator(self, op, args, kwargs, meta):
        result = super().call_operator(op, args, kwargs, meta)
        if op != RELU:
            return result
        ones = torch.ones(result.to_tensor().shape[-1])
        return super().call_operator(ADD, (result, ones), {}, meta)


def test_replaced_operator_keeps_its_source_line() -> None:
    example = models.mlp()
    before = to_edge(example.export())
    after = before.transform([ReluToSigmoid()]).exported_program()
    assert operator_names(after) == ["aten::addmm", "aten::sigmoid", "aten::addmm"]
    handles = [node.meta["debug_handle"] for node in calls(before.exported_program())]
    assert [node.meta["debug_handle"] for node in calls(after)] == handles
    assert all(node.meta["stack_trace"] for node in calls(after))
    example.module.layers[1] = torch.nn.Sigmoid()
    assert_same(run(after, example.inputs), run_module(example.module, example.inputs))


def test_metadata_changes_affect_a_copy_only() -> None:
    class Marked(ExportPass):
        def call_operator(self, op, args, kwargs, meta):
            marked = meta.copy()
            marked["mark"] = meta["debug_handle"] if "stack_trace" in meta else None
            assert "mark" not in meta
            return super().call_operator(op, args, kwargs, marked)

    program = to_edge(models.mlp().export()).transform([Marked()]).exported_program()
    assert all(node.meta["mark"] == node.meta["debug_handle"] for node in calls(program))


def test_tensor_created_by_a_pass_becomes_a_constant() -> None:
    example = models.mlp()
    program = to_edge(example.export()).transform([AddOneAfterRelu()]).exported_program()
    program.validate()
    assert [tuple(t.shape) for t in program.constants.values()] == [(16,)]
    layers = example.module.layers
    x = layers[1](layers[0](example.inputs[0])) + 1
    assert_same(run(program, example.inputs), [layers[3](x)])


@pytest.mark.parametrize("name", sorted(CASES))
def test_pass_without_overrides_copies_the_program(name: str) -> None:
    example = CASES[name]()
    edge = to_edge(example.export())
    copied = edge.transform([ExportPass()]).exported_program()
    assert operator_names(copied) == operator_names(edge.exported_program())
    expected = run_module(example.module, example.inputs)
    assert_same(run(copied, example.inputs), expected, 1e-3, 1e-5)


def test_values_after_a_change_are_recomputed() -> None:
    class Pick(ExportPass):
        def call_operator(self, op, args, kwargs, meta):
            if op == exir_ops.edge.aten.permute_copy.default:
                args = (args[0], [1, 0, 2])
            return super().call_operator(op, args, kwargs, meta)

    class Net(torch.nn.Module):
        def forward(self, x):
            return x.permute(2, 1, 0) * 2

    example = models.Example(Net(), (torch.randn(2, 3, 4),))
    program = to_edge(example.export()).transform([Pick()]).exported_program()
    assert calls(program)[-1].meta["val"].shape == (3, 2, 4)
    assert_same(run(program, example.inputs), [example.inputs[0].permute(1, 0, 2) * 2])


def test_recomputed_dynamic_values_keep_symbolic_sizes() -> None:
    class Doubled(ExportPass):
        def call_operator(self, op, args, kwargs, meta):
            result = super().call_operator(op, args, kwargs, meta)
            return super().call_operator(ADD, (result, result), {}, meta) if op == ADD else result

    example = models.dynamic_add()
    program = to_edge(example.export()).transform([Doubled()]).exported_program()
    assert isinstance(calls(program)[-1].meta["val"].shape[0], torch.SymInt)
    x, y = torch.randn(7, 4), torch.randn(7, 4)
    assert_same(run(program, (x, y)), [2 * (x + 2 * y)])


def test_pass_returns_a_new_graph_and_reports_changes() -> None:
    graph_module = to_edge(models.mlp().export()).exported_program().graph_module
    result = ExportPass().call(graph_module)
    assert result.modified and result.graph_module is not graph_module


def test_pass_does_not_change_the_original_manager() -> None:
    edge = to_edge(models.mlp().export())
    edge.transform([ReluToSigmoid()])
    assert "aten::relu" in operator_names(edge.exported_program())


def test_graph_module_metadata_survives_passes() -> None:
    program = to_edge(torch.export.export(torch.nn.ReLU(), (torch.ones(2),), strict=False))
    graph_module = program.exported_program().graph_module
    graph_module.meta["mine"] = 1
    result = ExportPass()(graph_module)
    assert result is not None and result.graph_module.meta == {"mine": 1}


class Rows(torch.nn.Module):
    def forward(self, x):
        return x.view(x.size(0), -1)


def _program_of_any_batch():
    batch = torch.export.Dim("batch", min=1, max=8)
    return to_edge(torch.export.export(Rows(), (torch.randn(2, 3),), dynamic_shapes=({0: batch},)))


class FixInputs(ExportPass):
    def placeholder(self, name, arg, meta):
        value = super().placeholder(name, arg, meta)
        value.node.meta["val"] = torch.empty(2, 3, device="meta")
        return value


class FixInputsOnPurpose(FixInputs):
    def should_preserve_symbolic_input_metadata(self):
        return False


def test_pass_that_specializes_a_symbolic_input_is_refused() -> None:
    graph_module = _program_of_any_batch().exported_program().graph_module
    with pytest.raises(
        ExportPassBaseError, match="Input at position 0 did not preserve symbolic metadata"
    ):
        FixInputs()(graph_module)
    result = FixInputsOnPurpose()(graph_module)
    assert result is not None
    fixed = result.graph_module
    assert fixed.graph.find_nodes(op="placeholder")[0].meta["val"].shape == (2, 3)


@pytest.mark.parametrize(
    "use, message",
    [
        (bool, "boolean context"),
        (int, "converted to int"),
        (float, "converted to float"),
        (ProxyValue.__index__, "index context"),
    ],
)
def test_symbolic_value_is_not_treated_as_a_constant(use, message) -> None:
    (x,) = _program_of_any_batch().exported_program().graph.find_nodes(op="placeholder")
    with pytest.raises(ExportPassBaseError, match=message):
        use(ProxyValue(x.meta["val"].shape[0], x))
