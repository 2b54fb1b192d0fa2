"""Bytes of method memory, computed by hand from runtime/method/layout.h."""

from torch.export import ExportedProgram

from exir.backend.backend_details import BackendDetails, PreprocessResult
from exir.backend.compile_spec_schema import CompileSpec as BackendCompileSpec
from exir.cli.reporting.method_memory import method_bytes
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
    def runtime_bytes(
        processed_bytes: bytes, compile_specs: list[BackendCompileSpec], data_model: str
    ) -> int:
        return len(processed_bytes) * len(compile_specs) * (2 if data_model == "lp64" else 1)


def test_an_empty_method_takes_the_method_alone() -> None:
    assert method_bytes(ExecutionPlan(), Program()) == {"lp64": 160, "ilp32": 96}


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
    # method 160 + values 96 + tensors 112 + list items 32 + instructions 96 + args 48 + ends 32
    # + dims 32, and the check: 8 * 2, 16 and 4 * 4.
    assert method_bytes(plan, Program())["lp64"] == 160 + 96 + 112 + 32 + 96 + 48 + 32 + 32 + 16 + 16 + 16
    # 96 + 64 + 64 + 16 + 64 + 32 + 16 + 32, and the check: 4 * 2, 16 and 4 * 4.
    assert method_bytes(plan, Program())["ilp32"] == 96 + 64 + 64 + 16 + 64 + 32 + 16 + 32 + 16 + 16 + 16


def test_what_delegates_keep_takes_the_place_of_the_checks_memory() -> None:
    processed = BackendDelegateDataReference(index=0)
    plan = ExecutionPlan(
        values=[EValue(Int(1))],
        chains=[Chain(instructions=[Instruction(DelegateCall(0, [0]))])],
        delegates=[BackendDelegate("KeepsItsPayload", processed, [CompileSpec("a", b"1")])],
    )
    program = Program(backend_delegate_data=[BackendDelegateInlineData(bytes(160))])
    # method + values + instructions + args + delegates + specs, to 64; then the handle, to 64.
    assert method_bytes(plan, program)["lp64"] == (160 + 32 + 32 + 16 + 32 + 32) + 16 + 320
    assert method_bytes(plan, program)["ilp32"] == (96 + 16 + 32 + 16 + 32 + 16) + 48 + 192
