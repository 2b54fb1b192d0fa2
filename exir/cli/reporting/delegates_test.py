"""Tests of the requirements that backends report for delegates."""

from torch.export import ExportedProgram

from exir.backend.backend_details import BackendDetails, PreprocessResult, RuntimeMemory
from exir.backend.compile_spec_schema import CompileSpec as BackendCompileSpec
from exir.cli.reporting.delegates import delegate_memory, delegate_parts
from exir.inspection.memory import CalledMemory, method_counts
from exir.schema import (
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
    Program,
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

    @staticmethod
    def runtime_parts(processed_bytes: bytes, compile_specs: list[BackendCompileSpec]) -> list[str]:
        return [f"keeper_{spec.key}" for spec in compile_specs] * 2


def _delegate_report(payload: int, *specs: str) -> BackendDelegate:
    reference = BackendDelegateDataReference(index=payload)
    return BackendDelegate("KeepsItsPayload", reference, [CompileSpec(key, b"1") for key in specs])


def _program_with_delegates() -> Program:
    plan = ExecutionPlan(
        values=[EValue(Int(1))],
        chains=[Chain(instructions=[Instruction(DelegateCall(0, [0]))])],
        delegates=[_delegate_report(0, "a"), _delegate_report(1), _delegate_report(0, "b", "a")],
    )
    payloads = [BackendDelegateInlineData(bytes(160)), BackendDelegateInlineData(b"")]
    return Program(execution_plan=[plan], backend_delegate_data=payloads)


def test_delegates_report_persistent_memory() -> None:
    program = _program_with_delegates()
    (plan,) = program.execution_plan
    counts = method_counts(plan)
    assert (counts["delegates"], counts["specs"], counts["args"]) == (3, 3, 1)
    assert delegate_memory(plan, program) == CalledMemory(
        persistent=("160 * sizeof(keeper)",) * 2, scratch=("1", "2"), headers=("keeper.h",)
    )


def test_delegates_list_required_parts() -> None:
    program = _program_with_delegates()
    parts = delegate_parts(program.execution_plan[0], program)
    assert parts == [["keeper_a"], [], ["keeper_a", "keeper_b"]]
