"""What method memory holds, counted; `executorch/method_layout.h` makes bytes of it on each machine."""

from collections.abc import Mapping
from dataclasses import dataclass

from exir import schema
from exir.backend.backend_api import find_backend
from exir.backend.backend_details import RuntimeMemory
from exir.backend.compile_spec_schema import CompileSpec

_INDEX_LISTS = (schema.IntList, schema.TensorList, schema.OptionalTensorList)


@dataclass(frozen=True)
class KeptMemory:
    """What the delegates of a method need besides, as C expressions."""

    kept: tuple[str, ...]  # bytes of each delegate's handle
    scratch: tuple[str, ...]  # bytes of each delegate's scratch
    headers: tuple[str, ...]  # that declare what the expressions name


def method_counts(plan: schema.ExecutionPlan) -> Mapping[str, int]:
    """The arguments of `ET_METHOD_BYTES`, by name, but for `kept`."""
    values = [value.val for value in plan.values]
    tensors = [value for value in values if isinstance(value, schema.Tensor)]
    lists = [value for value in values if isinstance(value, _INDEX_LISTS)]
    steps = [step.instr_args for chain in plan.chains for step in chain.instructions]
    return {
        "values": len(values),
        "tensors": len(tensors),
        "planned_tensors": sum(tensor.allocation_info is not None for tensor in tensors),
        "list_items": sum(len(each.items) for each in lists),
        "instructions": len(steps),
        "args": sum(_argument_count(step) for step in steps),
        "delegates": len(plan.delegates),
        "specs": sum(len(delegate.compile_specs) for delegate in plan.delegates),
        "ends": len(plan.inputs) + len(plan.outputs),
        "dims": sum(len(tensor.sizes) for tensor in tensors),
    }


def kept_memory(plan: schema.ExecutionPlan, program: schema.Program) -> KeptMemory:
    """What the backends say of their delegates."""
    needs = [_delegate_memory(delegate, program) for delegate in plan.delegates]
    return KeptMemory(
        kept=tuple(each.handle for each in needs if each.handle),
        scratch=tuple(each.scratch for each in needs if each.scratch),
        headers=tuple(sorted({each.header for each in needs if each.header})),
    )


def _delegate_memory(delegate: schema.BackendDelegate, program: schema.Program) -> RuntimeMemory:
    specs = [CompileSpec(str(spec.key), bytes(spec.value)) for spec in delegate.compile_specs]
    assert delegate.processed is not None
    payload = bytes(program.backend_delegate_data[delegate.processed.index].data)
    return find_backend(str(delegate.id)).runtime_memory(payload, specs)


def _argument_count(step: schema.InstructionArguments) -> int:
    if isinstance(step, (schema.KernelCall, schema.DelegateCall)):
        return len(step.args)
    return {schema.MoveCall: 2, schema.JumpFalseCall: 1}.get(type(step), 0)
