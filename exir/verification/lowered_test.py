"""Tests of the verifier of the last stage."""

import operator
from collections.abc import Callable

import pytest
import torch
from torch.export import ExportedProgram
from torch.fx import Node

from exir import memory
from exir.error import EdgeDialectError
from exir.program import to_edge
from exir.testing import models
from exir.testing.graphs import calls
from exir.verification.lowered import verify_lowered


def lowered(name: str) -> ExportedProgram:
    return to_edge(models.ALL[name]().export()).to_executorch().exported_program()


def first(program: ExportedProgram, target: object) -> Node:
    return next(node for node in calls(program) if node.target is target)


@pytest.mark.parametrize("name", models.ALL)
def test_compiler_output_is_accepted(name: str) -> None:
    verify_lowered(lowered(name))


def forget_value(program: ExportedProgram) -> None:
    del first(program, torch.ops.aten.relu.out).meta["val"]


def call_a_method(program: ExportedProgram) -> None:
    node = first(program, torch.ops.aten.relu.out)
    node.op, node.target = "call_method", "relu"


def call_a_function(program: ExportedProgram) -> None:
    first(program, torch.ops.aten.relu.out).target = operator.matmul


def write_to_a_result(program: ExportedProgram) -> None:
    first(program, torch.ops.aten.relu.out).update_kwarg("out", first(program, torch.ops.aten.addmm.out))


def allocate_too_little(program: ExportedProgram) -> None:
    first(program, memory.alloc).args = (((1, 1), torch.float32),)


def forget_an_operand(program: ExportedProgram) -> None:
    first(program, torch.ops.aten.relu.out).kwargs = {"out": first(program, memory.alloc)}


def shrink_a_spec(program: ExportedProgram) -> None:
    first(program, torch.ops.aten.relu.out).meta["spec"].shape = (3, 15)


def reorder_a_spec(program: ExportedProgram) -> None:
    first(program, torch.ops.aten.relu.out).meta["spec"].dim_order = (1, 0)


BREAKS: dict[str, Callable[[ExportedProgram], None]] = {
    "the value of aten.relu.out is missing": forget_value,
    "call_method of 'relu' is not an operator": call_a_method,
    "matmul.* is not an operator of a lowered program": call_a_function,
    "aten.relu.out writes to 'out', which is not a memory.alloc": write_to_a_result,
    "memory.alloc has .*but its spec is": allocate_too_little,
    "missing argument 'self'": forget_an_operand,
    r"memory.alloc has |float32 \[3, 15\]": shrink_a_spec,
    r"does not match meta\['val'\]: torch.float32 \[3, 16\] \[1, 0\]": reorder_a_spec,
}


@pytest.mark.parametrize("message", BREAKS)
def test_values_that_no_program_file_can_hold_are_refused(message: str) -> None:
    program = lowered("mlp")
    BREAKS[message](program)
    with pytest.raises(EdgeDialectError, match=message):
        verify_lowered(program)
