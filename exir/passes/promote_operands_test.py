"""Tests that implicit conversions become explicit."""

import pytest
import torch
from torch.export import ExportedProgram
from torch.fx import Node

from exir.decomposition.decompose import to_core_aten
from exir.passes.promote_operands import PromoteOperands
from exir.testing import models, programs
from exir.testing.graphs import assert_same, calls, operator_names, run, run_module
from exir.testing.models import Example
from exir.verification.verifier import EXIREdgeDialectVerifier


def _promote(example: Example) -> ExportedProgram:
    return PromoteOperands().run(to_core_aten(example.export(), {}))


def _example_of(function, *inputs) -> Example:
    class Module(torch.nn.Module):
        def forward(self, *args):
            return function(*args)

    return Example(Module(), inputs)


PROMOTING = (
    *("branches", "dynamic_views", "elementwise", "mixed_dtypes"),
    "writes_that_keep_their_dtype",
)


@pytest.mark.parametrize("name", PROMOTING)
def test_promoted_program_matches_eager_in_the_edge_dialect(name: str) -> None:
    example = programs.CASES[name]()
    program = _promote(example)
    EXIREdgeDialectVerifier()(program)
    expected = run_module(example.module, example.inputs)
    assert_same(run(program, example.inputs), expected, 1e-3, 1e-5)


def test_operands_of_arithmetic_have_the_dtype_of_the_result() -> None:
    program = _promote(_example_of(lambda x, i: x + i, torch.ones(2), torch.ones(2, dtype=torch.int64)))
    assert operator_names(program) == ["aten::_to_copy", "aten::add.Tensor"]
    assert calls(program)[0].kwargs == {"dtype": torch.float32}


def test_equal_scalars_of_one_dtype_share_a_constant() -> None:
    program = _promote(_example_of(lambda x: (x * 2 + 2) * 2.0, torch.ones(2)))
    assert list(program.constants) == ["_lifted_tensor_constant0"]
    assert program.constants["_lifted_tensor_constant0"].item() == 2.0


def test_scalars_of_different_dtypes_have_separate_constants() -> None:
    i = torch.ones(2, dtype=torch.int64)
    program = _promote(_example_of(lambda x, i: (x * 2, i * 2), torch.ones(2), i))
    dtypes = [tensor.dtype for tensor in program.constants.values()]
    assert dtypes == [torch.float32, torch.int64]


def is_scaling(node: Node) -> bool:
    return node.target._op.name().startswith(("aten::mul.", "aten::div."))


HALF = torch.tensor([60000.0, 1.0, -0.3]).half()


def test_float16_scalar_multiplier_is_exact() -> None:
    half = torch.tensor(1.5).half()
    program = _promote(_example_of(lambda x: (x * 0.25, x / 4.0), half))
    EXIREdgeDialectVerifier()(program)
    assert {tensor.dtype for tensor in program.constants.values()} == {torch.float16}
    assert_same(run(program, (half,)), [half * 0.25, half / 4.0])


@pytest.mark.parametrize("number", [100000, 1e-8, -1e9, 0.3])
def test_float16_multipliers_and_divisors_stay_float32(number: float) -> None:
    def scale(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        divided = [torch.div(x, number, rounding_mode=mode) for mode in ("floor", "trunc")]
        return (x * number, x / number, (1 - x) * number, *divided)

    program = _promote(_example_of(scale, HALF))
    EXIREdgeDialectVerifier()(program)
    assert_same(run(program, (HALF,)), list(scale(HALF)), 0, 0)
    factors = {node.args[1].meta["val"].dtype for node in calls(program) if is_scaling(node)}
    assert factors == {torch.float32}


def test_zero_dimensional_tensors_scale_float16() -> None:
    for dtype in (torch.float64, torch.int64, torch.float16):
        number = torch.tensor(1001, dtype=dtype)
        program = _promote(_example_of(lambda x, n: x * n, HALF, number))
        assert_same(run(program, (HALF, number)), [HALF * number], 0, 0)
        (product,) = (node for node in calls(program) if is_scaling(node))
        result_dtype = torch.float16 if dtype == torch.float16 else torch.float32
        assert product.args[1].meta["val"].dtype == result_dtype


def test_other_scalars_are_rounded_to_float16() -> None:
    program = _promote(_example_of(lambda x: (x + 1000.7, torch.fmod(x, 1000.7)), HALF))
    assert {tensor.dtype for tensor in program.constants.values()} == {torch.float16}


def test_branch_scalar_is_created_in_the_branch() -> None:
    assert "aten::full" in operator_names(_promote(programs.CASES["branches"]()))


def test_symbolic_scalar_becomes_a_tensor() -> None:
    names = operator_names(_promote(programs.CASES["dynamic_views"]()))
    assert "aten::scalar_tensor" in names


def test_program_of_one_dtype_is_unchanged() -> None:
    before = operator_names(to_core_aten(models.conv_bn_relu().export(), {}))
    assert operator_names(_promote(models.conv_bn_relu())) == before


COMPLEX = {
    "multiple": lambda x: 1j * x,
    "product": lambda x: torch.complex(x, x + 1) * (1 + 2j),
    "sum": lambda x: torch.complex(x, x) + 2j,
    "difference": lambda x: 2j - torch.complex(x, x),
    "quotient": lambda x: torch.complex(x, x) / 2j,
    "of double precision": lambda x: x.double() * 0.1j,
    "of integers": lambda x: x.long() * 1j,
    "of one element": lambda x: x.sum() * 1j,
    "in a branch": lambda x: torch.cond(x.sum() > 0, lambda x: x * (2 + 1j), lambda x: x - 1j, (x,)),
}


@pytest.mark.parametrize("name", COMPLEX)
def test_complex_python_scalars_are_promoted(name: str) -> None:
    x = torch.randn(2, 3)
    program = _promote(_example_of(COMPLEX[name], x))
    EXIREdgeDialectVerifier()(program)
    assert_same(run(program, (x,)), [COMPLEX[name](x)], 1e-6, 1e-7)
