"""What the backends say of the delegates of a method."""

from exir import schema
from exir.backend.backend_api import find_backend
from exir.backend.compile_spec_schema import CompileSpec
from exir.plan.memory import CalledMemory, called_memory


def delegate_parts(plan: schema.ExecutionPlan, program: schema.Program) -> list[list[str]]:
    """The parts of the runtime side that each delegate needs, sorted."""
    return [
        sorted(set(find_backend(str(each.id)).runtime_parts(*_compiled_as(each, program))))
        for each in plan.delegates
    ]


def delegate_memory(plan: schema.ExecutionPlan, program: schema.Program) -> CalledMemory:
    """What they keep and need."""
    return called_memory(
        [
            find_backend(str(each.id)).runtime_memory(*_compiled_as(each, program))
            for each in plan.delegates
        ]
    )


def _compiled_as(
    delegate: schema.BackendDelegate, program: schema.Program
) -> tuple[bytes, list[CompileSpec]]:
    """The payload of a delegate, and what it was compiled with."""
    specs = [CompileSpec(str(spec.key), bytes(spec.value)) for spec in delegate.compile_specs]
    assert delegate.processed is not None
    return bytes(program.backend_delegate_data[delegate.processed.index].data), specs
