"""The runtime requirements that backends report for a method's delegates."""

from exir import schema
from exir.backend.backend_api import find_backend
from exir.backend.compile_spec_schema import CompileSpec
from exir.inspection.memory import CalledMemory, RuntimeMemory, called_memory, payload_of


def delegate_parts(plan: schema.ExecutionPlan, program: schema.Program) -> list[list[str]]:
    """Return the sorted runtime parts that each delegate needs."""
    return [parts_of(delegate, program) for delegate in plan.delegates]


def parts_of(delegate: schema.BackendDelegate, program: schema.Program) -> list[str]:
    """Return the sorted runtime parts that one delegate needs."""
    backend = find_backend(str(delegate.id))
    return sorted(set(backend.runtime_parts(*_compiled_as(delegate, program))))


def delegate_memory(plan: schema.ExecutionPlan, program: schema.Program) -> CalledMemory:
    """Return the memory that the delegates of a method need."""
    return called_memory([memory_of(delegate, program) for delegate in plan.delegates])


def memory_of(delegate: schema.BackendDelegate, program: schema.Program) -> RuntimeMemory:
    """Return the memory that one delegate needs."""
    return find_backend(str(delegate.id)).runtime_memory(*_compiled_as(delegate, program))


def _compiled_as(
    delegate: schema.BackendDelegate, program: schema.Program
) -> tuple[bytes, list[CompileSpec]]:
    """Return the payload and the compile specs of a delegate."""
    specs = [CompileSpec(str(spec.key), bytes(spec.value)) for spec in delegate.compile_specs]
    return payload_of(delegate, program), specs
