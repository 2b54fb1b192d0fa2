"""Tests that indices out of range are found and named."""

import pytest

from exir.base_error import InvalidProgramError
from exir.inspection.indices import check_indices
from exir.schema import (
    BackendDelegate,
    BackendDelegateDataReference,
    BackendDelegateInlineData,
    Chain,
    DelegateCall,
    EValue,
    ExecutionPlan,
    Instruction,
    InstructionArguments,
    Int,
    IntList,
    JumpFalseCall,
    KernelCall,
    MoveCall,
    Operator,
    OptionalTensorList,
    Program,
    ScalarType,
    Tensor,
    TensorShapeDynamism,
)


def _maximal_program() -> Program:
    """Return a program with every kind of index, each at its maximum valid value."""
    steps: list[InstructionArguments] = [
        KernelCall(0, [3]),
        DelegateCall(0, [3]),
        MoveCall(3, 3),
        JumpFalseCall(3, 0),
    ]
    plan = ExecutionPlan(
        name="forward",
        values=[EValue(Int(1)), EValue(IntList([3])), EValue(OptionalTensorList([-1])), EValue(Int(2))],
        inputs=[3],
        outputs=[3],
        operators=[Operator("aten::relu", "out")],
        delegates=[BackendDelegate("Demo", BackendDelegateDataReference(index=0))],
        chains=[Chain(instructions=[Instruction(step) for step in steps])],
    )
    return Program(execution_plan=[plan], backend_delegate_data=[BackendDelegateInlineData(b"")])


def test_consistent_program_passes() -> None:
    check_indices(_maximal_program())


@pytest.mark.parametrize(
    ("sizes", "dim_order", "message"),
    [
        ([2, 3], [0, 2], r"dim_order \[0, 2\] is not a permutation of 2 dimensions"),
        ([2, 3], [0], r"dim_order \[0\] is not a permutation of 2 dimensions"),
        ([2], [1], r"dim_order \[1\] is not a permutation of 1 dimensions"),
        ([2, -3], [1, 0], r"sizes \[2, -3\] are negative"),
    ],
)
def test_inconsistent_tensor_record_is_refused(
    sizes: list[int], dim_order: list[int], message: str
) -> None:
    program = _maximal_program()
    tensor = Tensor(ScalarType.FLOAT, 0, sizes, dim_order, False, 0, None, TensorShapeDynamism.STATIC)
    program.execution_plan[0].values[0] = EValue(tensor)
    with pytest.raises(InvalidProgramError, match=rf"method 'forward': values\[0\]: {message}"):
        check_indices(program)


@pytest.mark.parametrize("index", [4, -2])
@pytest.mark.parametrize("direction", ["inputs", "outputs"])
def test_input_and_output_indices_are_checked(direction: str, index: int) -> None:
    program = _maximal_program()
    setattr(program.execution_plan[0], direction, [index])
    message = rf"method 'forward': {direction}: value {index} is out of range; there are 4"
    with pytest.raises(InvalidProgramError, match=message):
        check_indices(program)


@pytest.mark.parametrize("at", [1, 2])
def test_list_indices_are_checked(at: int) -> None:
    program = _maximal_program()
    program.execution_plan[0].values[at] = EValue(IntList([4]))
    with pytest.raises(
        InvalidProgramError, match=rf"values\[{at}\]: value 4 is out of range; there are 4"
    ):
        check_indices(program)


@pytest.mark.parametrize(
    ("at", "step", "message"),
    [
        (0, KernelCall(1, []), "operator 1 is out of range; there are 1"),
        (0, KernelCall(0, [4]), "value 4 is out of range; there are 4"),
        (1, DelegateCall(1, []), "delegate 1 is out of range; there are 1"),
        (1, DelegateCall(0, [-1]), "value -1 is out of range; there are 4"),
        (2, MoveCall(4, 0), "value 4 is out of range; there are 4"),
        (2, MoveCall(0, 4), "value 4 is out of range; there are 4"),
        (3, JumpFalseCall(4, 0), "value 4 is out of range; there are 4"),
    ],
)
def test_instruction_indices_are_checked(at: int, step: KernelCall, message: str) -> None:
    program = _maximal_program()
    program.execution_plan[0].chains[0].instructions[at] = Instruction(step)
    with pytest.raises(InvalidProgramError, match=rf"instructions\[{at}\]: {message}"):
        check_indices(program)


@pytest.mark.parametrize("processed", [None, BackendDelegateDataReference(index=1)])
def test_payload_indices_are_checked(processed: BackendDelegateDataReference | None) -> None:
    program = _maximal_program()
    program.execution_plan[0].delegates[0].processed = processed
    with pytest.raises(
        InvalidProgramError, match=r"delegates\[0\]: payload -?1 is out of range; there are 1"
    ):
        check_indices(program)
