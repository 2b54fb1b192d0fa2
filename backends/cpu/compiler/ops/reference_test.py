"""Tests that all declared ops have reference semantics."""

import pytest

from backends.cpu.compiler.lower import table  # noqa: F401  (registers the reference semantics of all ops)
from backends.cpu.compiler.ops.reference import check_shapes, evaluate, has_shape_check
from backends.cpu.schema.declarations import OpSpec
from backends.cpu.schema.quantization import Dequantize
from backends.cpu.schema.records import QuantParams
from backends.cpu.schema.reduction import Reduce, Reduction
from backends.cpu.schema.registry import OPS
from exir.error import InternalError


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.op_name())
def test_every_op_has_reference_semantics(op: type[OpSpec]) -> None:
    assert has_shape_check(op)
    assert evaluate.dispatch(op) is not evaluate.dispatch(OpSpec)


@pytest.mark.parametrize("sizes", [[(2, 3)], [(2, 3), (3, 2)], [(2, 3), (2, 3), (2, 3)]])
def test_quantize_has_one_output_of_the_inputs_size(sizes: list[tuple[int, ...]]) -> None:
    spec = Dequantize(QuantParams(3, 0.5))
    check_shapes(spec, [(2, 3), (2, 3)])
    with pytest.raises(InternalError, match="different sizes"):
        check_shapes(spec, sizes)


@pytest.mark.parametrize(
    "sizes",
    [[(2, 3, 4)], [(2, 3, 4), (2, 5)], [(2, 3, 4), (2, 4, 1)], [(3, 4), (4,)]],
)
def test_sizes_of_dimensions_with_one_name_are_equal(sizes: list[tuple[int, ...]]) -> None:
    check_shapes(Reduce(Reduction.SUM), [(2, 3, 4), (2, 4)])
    with pytest.raises(InternalError, match="Reduce"):
        check_shapes(Reduce(Reduction.SUM), sizes)
