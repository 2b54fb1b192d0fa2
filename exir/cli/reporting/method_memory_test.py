"""What method memory holds, counted by hand."""

from torch.export import ExportedProgram

from exir.backend.backend_details import BackendDetails, PreprocessResult, RuntimeMemory
from exir.backend.compile_spec_schema import CompileSpec as BackendCompileSpec
from exir.cli.reporting.method_memory import KeptMemory, kept_memory, method_counts
from exir.schema import (
    AllocationDetails,
    BackendDelegate,
    BackendDelegateDataReference,
    BackendDelegateInlineData,
    Chain,
    CompileSpec,
    DelegateCall,
    EValue,
    ExecutionPlan,
    Instruction,
    Int,
    IntList,
    JumpFalseCall,
    KernelCall,
    MoveCall,
    Program,
    Tensor,
)


class KeepsItsPayload(BackendDetails):
    """A backend whose runtime side keeps a copy of the payload."""

    @staticmethod
    def preprocess(
        edge_program: ExportedProgram, compile_specs: list[BackendCompileSpec]
    ) -> PreprocessResult:
        return PreprocessResult()

    @staticmethod
    def runtime_memory(processed_bytes: bytes, compile_specs: list[BackendCompileSpec]) -> RuntimeMemory:
        if not processed_bytes:
            return RuntimeMemory()
        return RuntimeMemory(
            f"{len(processed_bytes)} * sizeof(keeper)", f"{len(compile_specs)}", "keeper.h"
        )


def test_an_empty_method_has_nothing() -> None:
    assert set(method_counts(ExecutionPlan()).values()) == {0}


def test_every_region_counts() -> None:
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
        "ends": 2,
        "dims": 3,
    }


def _delegate(payload: int, *specs: str) -> BackendDelegate:
    reference = BackendDelegateDataReference(index=payload)
    return BackendDelegate("KeepsItsPayload", reference, [CompileSpec(key, b"1") for key in specs])


def test_delegates_say_what_they_keep() -> None:
    plan = ExecutionPlan(
        values=[EValue(Int(1))],
        chains=[Chain(instructions=[Instruction(DelegateCall(0, [0]))])],
        delegates=[_delegate(0, "a"), _delegate(1), _delegate(0, "a", "b")],
    )
    program = Program(
        backend_delegate_data=[BackendDelegateInlineData(bytes(160)), BackendDelegateInlineData(b"")]
    )
    counts = method_counts(plan)
    assert (counts["delegates"], counts["specs"], counts["args"]) == (3, 3, 1)
    assert kept_memory(plan, program) == KeptMemory(
        kept=("160 * sizeof(keeper)",) * 2, scratch=("1", "2"), headers=("keeper.h",)
    )
