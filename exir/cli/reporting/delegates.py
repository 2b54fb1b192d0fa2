"""What the backends say of the delegates of a method."""

from exir import schema
from exir.backend.backend_api import find_backend
from exir.backend.compile_spec_schema import CompileSpec


def delegate_parts(plan: schema.ExecutionPlan, program: schema.Program) -> list[list[str]]:
    """The parts of the runtime side that each delegate needs, sorted."""
    return [
        sorted(set(find_backend(str(each.id)).runtime_parts(*compiled_as(each, program))))
        for each in plan.delegates
    ]


def compiled_as(
    delegate: schema.BackendDelegate, program: schema.Program
) -> tuple[bytes, list[CompileSpec]]:
    """The payload of a delegate, and what it was compiled with."""
    specs = [CompileSpec(str(spec.key), bytes(spec.value)) for spec in delegate.compile_specs]
    assert delegate.processed is not None
    return bytes(program.backend_delegate_data[delegate.processed.index].data), specs
