"""Tests that programs outside the edge dialect are rejected."""

import operator

import pytest
import torch
from torch.export import ExportedProgram

from exir import EdgeCompileConfig, to_edge
from exir.dialects._ops import ops as exir_ops
from exir.dialects.edge import edge_op
from exir.error import EdgeDialectError, UnsupportedOperatorError
from exir.testing import models, programs
from exir.testing.graphs import calls
from exir.verification.verifier import EXIREdgeDialectVerifier

CASES = {**models.ALL, **programs.CASES}


def _export_program() -> ExportedProgram:
    return to_edge(models.dynamic_add().export()).exported_program()


def _assert_rejected(program: ExportedProgram, message: str) -> None:
    assert not EXIREdgeDialectVerifier().is_valid(program.graph_module)
    with pytest.raises((EdgeDialectError, UnsupportedOperatorError), match=message) as caught:
        EXIREdgeDialectVerifier()(program)
    assert "node: aten_add_tensor" in str(caught.value)
    assert "models.py" in str(caught.value)


@pytest.mark.parametrize("name", sorted(CASES))
def test_every_lowered_program_is_of_the_edge_dialect(name: str) -> None:
    program = to_edge(CASES[name]().export()).exported_program()
    EXIREdgeDialectVerifier()(program)
    assert EXIREdgeDialectVerifier().is_valid(program.graph_module)


def test_torch_operator_is_refused() -> None:
    program = _export_program()
    calls(program)[-1].target = torch.ops.aten.add.Tensor
    _assert_rejected(program, "not in the edge dialect")


def test_any_other_callable_is_refused() -> None:
    program = _export_program()
    calls(program)[-1].target = operator.matmul
    _assert_rejected(program, "not an operator of the edge dialect")


def test_operator_that_writes_to_its_arguments_is_refused() -> None:
    program = _export_program()
    calls(program)[-1].target = exir_ops.edge.aten.add_.Tensor
    _assert_rejected(program, "writes to its arguments")


def test_operator_outside_core_aten_is_refused_unless_excepted() -> None:
    program = _export_program()
    heaviside = torch.ops.aten.heaviside.default
    calls(program)[-1].target = edge_op(heaviside)
    said = "heaviside.default, called on float32, has no kernel and no decomposition; use operators"
    _assert_rejected(program, said)
    EXIREdgeDialectVerifier(EdgeCompileConfig(_core_aten_ops_exception_list=[heaviside]))(program)


def test_training_batch_norm_refusal_states_the_remedy() -> None:
    norm = torch.nn.BatchNorm2d(2).train()
    exported = torch.export.export(norm, (torch.ones(1, 2, 3, 3),))
    with pytest.raises(
        UnsupportedOperatorError, match=r"call eval\(\) on the model before torch.export"
    ):
        to_edge(exported)


def test_value_without_metadata_is_refused() -> None:
    program = _export_program()
    del calls(program)[-1].meta["val"]
    _assert_rejected(program, r"is missing")


@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        ((0, 1, 2), {}, "has 2 parameters, got 3 arguments"),
        ((0,), {}, "missing argument 'other'"),
        ((0, 1), {"beta": 2}, "unknown argument 'beta'"),
        ((0, 1), {"other": 2}, "unknown argument 'other'"),
        ((0, 2.0), {}, "'other' must be a node of the graph, got 2.0"),
    ],
)
def test_arguments_must_match_the_schema(args: tuple, kwargs: dict, message: str) -> None:
    program = _export_program()
    node = calls(program)[-1]
    operands = node.args
    node.args = tuple(operands[a] if type(a) is int and a < 2 else a for a in args)
    node.kwargs = kwargs
    _assert_rejected(program, message)


def test_operands_of_different_dtypes_are_refused() -> None:
    program = _export_program()
    node = calls(program)[-1]
    other = node.args[1]
    other.meta["val"] = other.meta["val"].to(torch.int64)
    _assert_rejected(
        program, r"operands must have one dtype, got self: torch.float32, other: torch.int64"
    )


def test_dtype_outside_the_file_format_is_refused() -> None:
    program = _export_program()
    node = calls(program)[-1]
    node.meta["val"] = node.meta["val"].to(torch.complex32)
    _assert_rejected(program, "complex32")


def test_dtype_the_operator_does_not_allow_is_refused() -> None:
    class Softmax(torch.nn.Module):
        def forward(self, x):
            return x.softmax(0)

    program = to_edge(models.Example(Softmax(), (torch.ones(3),)).export()).exported_program()
    node = calls(program)[0]
    node.args[0].meta["val"] = node.args[0].meta["val"].to(torch.int32)
    with pytest.raises(EdgeDialectError, match="'self' is torch.int32; supported:"):
        EXIREdgeDialectVerifier()(program)


def test_complex32_model_is_refused_with_its_source_line() -> None:
    class Complex(torch.nn.Module):
        def forward(self, x):
            return torch.view_as_real(x.to(torch.complex32))

    with pytest.raises((EdgeDialectError, UnsupportedOperatorError)) as caught:
        to_edge(models.Example(Complex(), (torch.ones(4),)).export())
    assert "x.to(torch.complex32)" in str(caught.value)
