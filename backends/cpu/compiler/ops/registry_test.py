"""Ops of the compiler: their codes in the runtime, and their reference semantics."""

import re
from pathlib import Path

import pytest

from backends.cpu.compiler.ops.reference import check_shapes, evaluate
from backends.cpu.compiler.ops.registry import symbol_of
from backends.cpu.schema.declarations import OpSpec
from backends.cpu.schema.registry import BY_CODE, OPS

_ROW = re.compile(r"X\(\w+, (\d+), (\w+)\)")


def test_codes_and_symbols_are_those_of_the_runtime() -> None:
    text = Path("backends/cpu/ops/op_codes.h").read_text()
    known = {int(code): f"et_cpu_op_{name}" for code, name in _ROW.findall(text)}
    assert {code: symbol_of(code) for code in BY_CODE} == known


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.op_name())
def test_every_op_has_reference_semantics(op: type[OpSpec]) -> None:
    for function in (check_shapes, evaluate):
        assert function.dispatch(op) is not function.dispatch(OpSpec)
