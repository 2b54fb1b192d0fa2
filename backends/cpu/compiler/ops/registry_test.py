"""Tests that all declared ops have reference semantics."""

import pytest

from backends.cpu.compiler.ops import registry  # noqa: F401  (registers the reference semantics)
from backends.cpu.compiler.ops.reference import check_shapes, evaluate
from backends.cpu.schema.declarations import OpSpec
from backends.cpu.schema.registry import OPS


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.op_name())
def test_every_op_has_reference_semantics(op: type[OpSpec]) -> None:
    for function in (check_shapes, evaluate):
        assert function.dispatch(op) is not function.dispatch(OpSpec)
