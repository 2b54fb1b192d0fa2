"""Bytes of method memory, by the formula in runtime/method/layout.h."""

from collections.abc import Iterable
from dataclasses import dataclass

from exir import schema
from exir.backend.backend_api import find_backend
from exir.backend.compile_spec_schema import CompileSpec
from exir.memory_planning import aligned

_REGION_ALIGNMENT = 16
_HANDLE_ALIGNMENT = 64
_DIM_BYTES = 8
_INDEX_BYTES = 4
_TREE_BYTES = 16  # of the nodes that stand for one planned tensor
_INDEX_LISTS = (schema.IntList, schema.TensorList, schema.OptionalTensorList)


@dataclass(frozen=True)
class DataModel:
    """Bytes of the runtime's structs on one kind of machine."""

    name: str
    method: int
    value: int
    tensor: int
    pointer: int
    instruction: int
    delegate: int
    spec: int
    end: int


LP64 = DataModel("lp64", 160, 24, 56, 8, 32, 32, 32, 16)
ILP32 = DataModel("ilp32", 92, 16, 32, 4, 20, 20, 16, 8)


def method_bytes(plan: schema.ExecutionPlan, program: schema.Program) -> dict[str, int]:
    """Bytes that a method takes, planned memory and scratch apart, by data model."""
    return {model.name: _bytes(plan, program, model) for model in (LP64, ILP32)}


def _bytes(plan: schema.ExecutionPlan, program: schema.Program, model: DataModel) -> int:
    values = [value.val for value in plan.values]
    tensors = [value for value in values if isinstance(value, schema.Tensor)]
    lists = [value for value in values if isinstance(value, _INDEX_LISTS)]
    steps = [step.instr_args for chain in plan.chains for step in chain.instructions]
    regions = [
        model.method,
        model.value * len(values),
        model.tensor * len(tensors),
        model.pointer * sum(len(each.items) for each in lists),
        model.instruction * len(steps),
        model.pointer * sum(_argument_count(step) for step in steps),
        model.delegate * len(plan.delegates),
        model.spec * sum(len(delegate.compile_specs) for delegate in plan.delegates),
        model.end * (len(plan.inputs) + len(plan.outputs)),
        _DIM_BYTES * sum(len(tensor.sizes) for tensor in tensors),
    ]
    used = _total(regions)
    return max(used + _check_bytes(plan, tensors, model), _with_handles(used, plan, program, model))


def _total(regions: Iterable[int]) -> int:
    return sum(aligned(region, _REGION_ALIGNMENT) for region in regions)


def _argument_count(step: schema.InstructionArguments) -> int:
    if isinstance(step, (schema.KernelCall, schema.DelegateCall)):
        return len(step.args)
    return {schema.MoveCall: 2, schema.JumpFalseCall: 1}.get(type(step), 0)


def _check_bytes(
    plan: schema.ExecutionPlan, tensors: list[schema.Tensor], model: DataModel
) -> int:
    """Working memory of the loader's check of the memory plan."""
    planned = sum(tensor.allocation_info is not None for tensor in tensors)
    return _total([model.pointer * 2 * planned, _TREE_BYTES * planned, _INDEX_BYTES * len(plan.values)])


def _with_handles(used: int, plan: schema.ExecutionPlan, program: schema.Program, model: DataModel) -> int:
    """`used` bytes, then what the delegates keep, each from an aligned address to the next."""
    for delegate in plan.delegates:
        specs = [CompileSpec(str(spec.key), bytes(spec.value)) for spec in delegate.compile_specs]
        assert delegate.processed is not None
        payload = bytes(program.backend_delegate_data[delegate.processed.index].data)
        kept = find_backend(str(delegate.id)).runtime_bytes(payload, specs, model.name)
        used = aligned(used, _HANDLE_ALIGNMENT) + aligned(kept, _HANDLE_ALIGNMENT)
    return used
