"""Tests that checks run between built-in and user-defined passes."""

from dataclasses import dataclass
from typing import ClassVar

import pytest
import torch
from torch.export import ExportedProgram
from torch.fx.passes.infra.pass_base import PassResult

from exir.decomposition.decompose import to_core_aten
from exir.error import EdgeDialectError, PassError
from exir.pass_base import ExportedProgramPassBase, ExportedProgramPassResult
from exir.pass_manager import ProgramPass, pass_name, run_passes
from exir.passes import MemoryPlanningPass, SpecPropPass, ToOutVarPass
from exir.testing import models
from exir.testing.graphs import calls, operator_names
from exir.verification.verifier import EXIREdgeDialectVerifier


@dataclass(frozen=True)
class _ContractPass(ProgramPass):
    """A pass whose contract holds if `kept` is true."""

    kept: bool = True
    name: ClassVar[str] = "promise"

    def run(self, program: ExportedProgram) -> ExportedProgram:
        return program

    def ensures(self, program: ExportedProgram) -> None:
        if not self.kept:
            raise EdgeDialectError("the promise is broken", calls(program)[0])


def _export_program() -> ExportedProgram:
    return to_core_aten(models.simple_conv().export(), {})


def test_passes_run_in_order() -> None:
    seen = []
    run_passes(
        _export_program(), [lambda gm: seen.append(1), _ContractPass(), lambda gm: seen.append(2)]
    )
    assert seen == [1, 2]


def test_broken_postcondition_names_pass_node_and_source() -> None:
    with pytest.raises(EdgeDialectError) as caught:
        run_passes(_export_program(), [_ContractPass(kept=False)])
    text = str(caught.value)
    assert "pass: promise" in text and "node: aten_convolution" in text and "models.py" in text


def test_exception_in_a_user_pass_names_the_pass() -> None:
    def faulty(graph_module: torch.fx.GraphModule) -> None:
        raise KeyError("missing")

    with pytest.raises(PassError, match="pass 'faulty' failed: 'missing'"):
        run_passes(_export_program(), [faulty])


def test_program_is_verified_after_each_pass() -> None:
    def to_torch_operators(graph_module: torch.fx.GraphModule) -> None:
        relu = list(graph_module.graph.nodes)[-2]
        relu.target = relu.target._op

    with pytest.raises(EdgeDialectError, match="not in the edge dialect") as caught:
        run_passes(_export_program(), [to_torch_operators], EXIREdgeDialectVerifier())
    assert caught.value.pass_name == "to_torch_operators"


def test_function_pass_may_mutate_in_place() -> None:
    program = _export_program()
    assert run_passes(program, [lambda gm: None]) is program
    assert operator_names(program)


def test_pass_that_changes_the_signature_is_refused() -> None:
    def with_an_input(graph_module: torch.fx.GraphModule) -> PassResult:
        with graph_module.graph.inserting_before(next(iter(graph_module.graph.nodes))):
            graph_module.graph.placeholder("surplus")
        return PassResult(graph_module, True)

    with pytest.raises(EdgeDialectError, match="number of the graph's inputs from 3 to 4"):
        run_passes(_export_program(), [with_an_input])


def test_pass_names_are_derived_from_functions_and_classes() -> None:
    class Named:
        def __call__(self, graph_module: torch.fx.GraphModule) -> None: ...

    assert pass_name(_ContractPass()) == "promise"
    assert pass_name(Named()) == "Named"


class _DoubleConstants(ExportedProgramPassBase):
    def call(self, exported_program: ExportedProgram) -> ExportedProgramPassResult:
        for name, tensor in exported_program.constants.items():
            exported_program.constants[name] = tensor * 2
        return ExportedProgramPassResult(exported_program, True)


class _AddThree(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + torch.tensor([3.0])


def test_program_pass_receives_constants() -> None:
    program = run_passes(torch.export.export(_AddThree(), (torch.zeros(1),)), [_DoubleConstants()])
    assert program.module()(torch.zeros(1)).item() == 6
    assert pass_name(_DoubleConstants()) == "_DoubleConstants"


class _FailingPass(_DoubleConstants):
    def ensures(self, exported_program: ExportedProgram) -> None:
        raise ValueError("not so")


def test_program_pass_contract_is_verified() -> None:
    with pytest.raises(PassError, match="'_FailingPass' failed: not so"):
        run_passes(torch.export.export(_AddThree(), (torch.zeros(1),)), [_FailingPass()])


def test_program_passes_accept_a_bare_graph() -> None:
    graph_module = _export_program().graph_module
    for pass_ in (SpecPropPass(), ToOutVarPass(), MemoryPlanningPass()):
        result = pass_(graph_module)
        assert result.modified
        graph_module = result.graph_module
    nodes = graph_module.graph.find_nodes(op="placeholder")
    assert all(node.meta["spec"].mem_offset is not None for node in nodes)
    assert graph_module.meta["non_const_buffer_sizes"][1] > 0


class _AsksForSizes(_DoubleConstants):
    def __call__(self, exported_program: ExportedProgram) -> ExportedProgramPassResult:
        (node,) = (node for node in exported_program.graph.nodes if node.name == "x")
        int(node.meta["val"].shape[0])
        return super().__call__(exported_program)


def test_pass_that_specializes_a_dynamic_size_is_an_error() -> None:
    shapes = ({0: torch.export.Dim("n", min=2, max=8)},)
    exported = torch.export.export(_AddThree(), (torch.zeros(3),), dynamic_shapes=shapes)
    with pytest.raises(
        PassError,
        match=r"pass '_AsksForSizes': specializes the dynamic size s\d+ \(2 to 8\) to the .* 3; run",
    ):
        run_passes(exported, [_AsksForSizes()])
