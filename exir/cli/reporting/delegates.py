"""What the backends say of the delegates of a method."""

from exir import schema
from exir.backend.backend_api import find_backend
from exir.backend.compile_spec_schema import CompileSpec
from exir.plan.measured import payload_of
from exir.plan.memory import CalledMemory, RuntimeMemory, called_memory


def delegate_parts(plan: schema.ExecutionPlan, program: schema.Program) -> list[list[str]]:
    """The parts of the runtime side that each delegate needs, sorted."""
    return [parts_of(each, program) for each in plan.delegates]


def parts_of(delegate: schema.BackendDelegate, program: schema.Program) -> list[str]:
    """Those of one delegate."""
    backend = find_backend(str(delegate.id))
    return sorted(set(backend.runtime_parts(*_compiled_as(delegate, program))))


def delegate_memory(plan: schema.ExecutionPlan, program: schema.Program) -> CalledMemory:
    """What they keep and need."""
    return called_memory([memory_of(each, program) for each in plan.delegates])


def memory_of(delegate: schema.BackendDelegate, program: schema.Program) -> RuntimeMemory:
    """What one delegate keeps and needs."""
    return find_backend(str(delegate.id)).runtime_memory(*_compiled_as(delegate, program))


def _compiled_as(
    delegate: schema.BackendDelegate, program: schema.Program
) -> tuple[bytes, list[CompileSpec]]:
    """The payload of a delegate, and what it was compiled with."""
    specs = [CompileSpec(str(spec.key), bytes(spec.value)) for spec in delegate.compile_specs]
    return payload_of(delegate, program), specs
