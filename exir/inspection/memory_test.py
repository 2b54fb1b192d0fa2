"""Tests that the counts of a method's memory equal precomputed counts."""

from pathlib import Path

import pytest

from exir.base_error import ConfigError
from exir.inspection.memory import CalledMemory, kernel_memory, method_counts
from exir.operators.kernels import KernelTable, load_kernels
from exir.operators.operators import builtin_operators
from exir.schema import (
    AllocationDetails,
    Bool,
    Chain,
    EValue,
    ExecutionPlan,
    Instruction,
    Int,
    IntList,
    JumpFalseCall,
    KernelCall,
    MoveCall,
    Null,
    Operator,
    ScalarType,
    Tensor,
)


def test_empty_method_needs_no_memory() -> None:
    assert set(method_counts(ExecutionPlan()).values()) == {0}


def test_every_memory_region_counts() -> None:
    plan = ExecutionPlan(
        values=[
            EValue(Tensor(sizes=[2, 3], allocation_info=AllocationDetails(1))),
            EValue(Tensor(sizes=[2])),
            EValue(Int(4)),
            EValue(IntList([2, 2, 2])),
        ],
        inputs=[0],
        outputs=[0],
        chains=[
            Chain(
                instructions=[
                    Instruction(KernelCall(0, [0, 1, 1])),
                    Instruction(MoveCall(0, 1)),
                    Instruction(JumpFalseCall(2, 0)),
                ]
            )
        ],
        non_const_buffer_sizes=[0, 64],
    )
    assert method_counts(plan) == {
        "values": 4,
        "tensors": 2,
        "planned_tensors": 1,
        "list_items": 3,
        "instructions": 3,
        "args": 3 + 2 + 1,
        "delegates": 0,
        "specs": 0,
        "io_slots": 2,
        "dims": 3,
    }


_KERNELS = """
[dtypes]
float = ["float32"]

[[kernel]]
operator = "aten::convolution.out"
symbol = "fast"
file = "fast.c"
dtypes = "float"
priority = 1
features = ["avx2"]
scratch = 256
state = "sizeof(fast_plan)"
header = "acme/fast.h"
prepare = "fast_prepare"

[[kernel]]
operator = "aten::convolution.out"
symbol = "plain"
file = "plain.c"
dtypes = "float"
scratch = "ROOM({weight.shape[2]}, {bias.is_given}, {stride[1]}, {groups})"
state = "PLAN({input.rank})"
header = "acme/plain.h"
prepare = "plain_prepare"

[[kernel]]
operator = "aten::convolution.out"
symbol = "never"
file = "never.c"
dtypes = "float"
scratch = "never"
"""


def _kernel_table(folder: Path, text: str = _KERNELS) -> KernelTable:
    path = folder / "kernels.toml"
    path.write_text(text, encoding="utf-8")
    return load_kernels([path], builtin_operators())


def _grouped_convolutions(*groups: int) -> ExecutionPlan:
    """Return calls of a convolution over [1, 4, 8, 8] that differ only in groups."""
    sizes = ([1, 4, 8, 8], [4, 4, 5, 3])
    tensors = [EValue(Tensor(ScalarType.FLOAT, 0, size, [0, 1, 2, 3])) for size in sizes]
    numbers = [
        EValue(Null()),
        EValue(Bool(False)),
        EValue(Int(2)),
        EValue(Int(3)),
        EValue(IntList([4, 5])),
    ]
    return ExecutionPlan(
        values=[*tensors, *numbers, *(EValue(Int(number)) for number in groups)],
        operators=[Operator("aten::convolution", "out")],
        chains=[
            Chain(
                instructions=[
                    Instruction(KernelCall(0, [0, 1, 2, 6, 6, 6, 3, 6, 7 + index, 0, 0]))
                    for index in range(len(groups))
                ]
            )
        ],
    )


def test_kernel_memory_is_computed_per_call(tmp_path: Path) -> None:
    assert kernel_memory(_grouped_convolutions(2, 1, 2), _kernel_table(tmp_path)) == CalledMemory(
        persistent=("ET_MAX(sizeof(fast_plan), PLAN(4))",) * 3,
        scratch=tuple(x for groups in (2, 1, 2) for x in ("256", f"ROOM(5, 0, 3, {groups})")),
        headers=("acme/fast.h", "acme/plain.h"),
    )


def test_operators_without_a_kernel_need_no_scratch(tmp_path: Path) -> None:
    plan = _grouped_convolutions(2)
    plan.operators = [Operator("acme::convolution", "out")]
    assert kernel_memory(plan, _kernel_table(tmp_path)) == CalledMemory((), (), ())


def test_unresolved_expression_names_its_table(tmp_path: Path) -> None:
    table = _kernel_table(tmp_path, _KERNELS.replace("{stride[1]}", "{stride[2]}"))
    with pytest.raises(ConfigError) as caught:
        kernel_memory(_grouped_convolutions(2), table)
    assert f"{tmp_path / 'kernels.toml'}: aten::convolution.out: {{stride[2]}}: unknown property" in str(
        caught.value
    )
