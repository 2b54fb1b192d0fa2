"""Compares decomposition by operator and by retracing with PyTorch."""

import pytest
import torch
from torch.export import ExportedProgram

from exir import to_edge
from exir.decomposition.decompose import decompose_by_retracing, decompose_locally, to_core_aten
from exir.decomposition.decompositions import core_aten
from exir.error import NotLocal
from exir.testing import loop_cases, models, programs
from exir.testing.graphs import assert_same, calls, operator_names, run, run_module
from exir.testing.models import Example
from exir.verification.verifier import EXIREdgeDialectVerifier, verify_structure

CASES = {**models.ALL, **programs.CASES}
# These depend on more than one operator: aliases, control flow, or transforms.
NOT_LOCAL = {
    "branches",
    "forward_derivative",
    "mapped",
    "no_gradients",
    "write_seen_through_a_view",
    "write_through_overlapping_views",
    *loop_cases.CASES,
} & CASES.keys()


@pytest.mark.parametrize("name", sorted(CASES.keys() - NOT_LOCAL))
def test_local_decomposition_preserves_results(name: str) -> None:
    example = CASES[name]()
    _check_decomposed(decompose_locally(example.export(), core_aten()), example)


@pytest.mark.parametrize("name", sorted(CASES.keys() - loop_cases.CASES.keys()))
def test_retracing_decomposition_preserves_results(name: str) -> None:
    example = CASES[name]()
    _check_decomposed(decompose_by_retracing(example.export(), core_aten()), example)


@pytest.mark.parametrize("name", sorted(NOT_LOCAL))
def test_unsound_local_decomposition_is_refused_and_the_program_retraced(name: str) -> None:
    example = CASES[name]()
    with pytest.raises(NotLocal):
        decompose_locally(example.export(), core_aten())
    _check_decomposed(to_core_aten(example.export(), {}), example)


class _AddsInPlace(torch.nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return x.add_(y)


def test_in_place_result_has_the_operands_dtype() -> None:
    inputs = (torch.full((3,), 2048, dtype=torch.float16), torch.tensor([1.5, 2.5, -0.5]))
    exported = torch.export.export(_AddsInPlace(), inputs)
    program = decompose_locally(exported, core_aten())
    add, convert = calls(program)
    assert add.meta["val"].dtype is torch.float32 and convert.meta["val"].dtype is torch.float16
    edge = to_edge(exported).exported_program()
    assert_same(run(edge, inputs), run_module(_AddsInPlace(), inputs))


def _check_decomposed(program: ExportedProgram, example: Example) -> None:
    expected = run_module(example.module, example.inputs)
    assert_same(run(program, example.inputs), expected, 1e-4, 1e-5)
    verify_structure(program)
    for node in calls(program):
        EXIREdgeDialectVerifier().check_is_core(node)


@pytest.mark.parametrize("size", [2, 5, 8])
@pytest.mark.parametrize("name", sorted(n for n in programs.CASES if n.startswith("dynamic")))
def test_dynamic_program_runs_at_every_size(name: str, size: int) -> None:
    example = programs.CASES[name]()
    program = to_core_aten(example.export(), {})
    inputs = (torch.randn(size, *example.inputs[0].shape[1:]),)
    assert_same(run(program, inputs), run_module(example.module, inputs), 1e-4, 1e-5)


def test_decompose_does_not_change_its_input() -> None:
    example = models.conv_bn_relu()
    program = example.export()
    before = str(program)
    to_core_aten(program, {})
    assert str(program) == before


def test_write_to_a_buffer_becomes_an_output_named_after_it() -> None:
    signature = decompose_locally(models.counter().export(), core_aten()).graph_signature
    assert list(signature.buffers_to_mutate.values()) == ["total"]


def test_write_to_an_input_becomes_an_output_named_after_it() -> None:
    program = decompose_locally(programs.CASES["write_to_an_input"]().export(), core_aten())
    assert len(program.graph_signature.user_inputs_to_mutate) == 1


def test_preserved_operators_respect_their_filter() -> None:
    first, _ = (node for node in calls(models.mlp().export()) if "linear" in str(node.target))
    linear = torch.ops.aten.linear.default
    program = to_core_aten(models.mlp().export(), {linear: lambda node: node.name == first.name})
    assert operator_names(program).count("aten::linear") == 1
    assert "aten::addmm" in operator_names(program)


def test_preserved_operators_survive_retracing() -> None:
    preserve = core_aten({torch.ops.aten.linear.default: lambda node: True})
    program = decompose_by_retracing(models.mlp().export(), preserve)
    assert operator_names(program).count("aten::linear") == 2


def test_nodes_keep_their_source_line_and_share_the_debug_handle_of_their_origin() -> None:
    program = to_core_aten(models.mlp().export(), {})
    permute, addmm = calls(program)[:2]
    assert permute.meta["debug_handle"] == addmm.meta["debug_handle"]
    assert permute.meta["stack_trace"] == addmm.meta["stack_trace"]
    assert calls(program)[2].meta["debug_handle"] != addmm.meta["debug_handle"]


def test_linear_of_2d_input_needs_no_view() -> None:
    example = Example(torch.nn.Linear(8, 4).eval(), (torch.randn(2, 8),))
    assert operator_names(to_core_aten(example.export(), {})) == ["aten::permute_copy", "aten::addmm"]


def test_linear_of_nd_input_is_one_gemm() -> None:
    example = Example(torch.nn.Linear(8, 4).eval(), (torch.randn(2, 3, 5, 8),))
    names = sorted(operator_names(to_core_aten(example.export(), {})))
    assert names == ["aten::addmm", "aten::permute_copy", *["aten::view_copy"] * 2]


def test_decomposition_is_deterministic() -> None:
    first, second = (str(to_core_aten(models.conv_bn_relu().export(), {}).graph) for _ in range(2))
    assert first == second


class _FilledWithHalfASize(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.sum() + torch.full((2,), x.shape[0] * 0.5)


class _FilledWithTheRootOfASize(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.sum() + torch.full((2,), x.shape[0] ** 0.5)


_ROWS = ({0: torch.export.Dim("rows", min=2, max=8)},)


def test_fraction_of_a_size_is_computed() -> None:
    example = Example(_FilledWithHalfASize(), (torch.ones(4, 3),), _ROWS)
    program = to_core_aten(example.export(), {})
    longer = torch.ones(7, 3)
    assert_same(run(program, (longer,)), [_FilledWithHalfASize()(longer)], 0, 0)


def test_root_of_a_size_is_computed() -> None:
    example = Example(_FilledWithTheRootOfASize(), (torch.ones(4, 3),), _ROWS)
    program = to_core_aten(example.export(), {})
    longer = torch.ones(7, 3)
    assert_same(run(program, (longer,)), [_FilledWithTheRootOfASize()(longer)], 1e-6, 1e-6)
