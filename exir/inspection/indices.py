"""Check the indices and tensor records of an untrusted program."""

from collections.abc import Iterable, Iterator

from exir import schema
from exir.base_error import InvalidProgramError

_LISTS = (schema.IntList, schema.TensorList, schema.OptionalTensorList)


def check_indices(program: schema.Program) -> None:
    """Raise `InvalidProgramError` for an invalid index or tensor record.

    The error names the first index out of range, or the first record that is inconsistent.
    """
    for plan in program.execution_plan:
        for number, value in enumerate(plan.values):
            if isinstance(value.val, schema.Tensor):
                _check_tensor(value.val, f"method '{plan.name}': values[{number}]")
        for where, kind, index, length in _all_indices(plan, program):
            if not 0 <= index < length:
                raise InvalidProgramError(
                    f"method '{plan.name}': {where}: {kind} {index} is out of range; there are {length}"
                )


def _check_tensor(tensor: schema.Tensor, where: str) -> None:
    rank = len(tensor.sizes)
    if sorted(tensor.dim_order) != list(range(rank)):
        raise InvalidProgramError(
            f"{where}: dim_order {list(tensor.dim_order)} is not a permutation of {rank} dimensions"
        )
    if min(tensor.sizes, default=0) < 0:
        raise InvalidProgramError(f"{where}: sizes {list(tensor.sizes)} are negative")


def _all_indices(
    plan: schema.ExecutionPlan, program: schema.Program
) -> Iterator[tuple[str, str, int, int]]:
    """Yield the place, the kind, the index itself and its limit."""
    count = len(plan.values)
    yield from (("inputs", "value", index, count) for index in plan.inputs)
    yield from (("outputs", "value", index, count) for index in plan.outputs)
    for number, value in enumerate(plan.values):
        yield from (
            (f"values[{number}]", "value", index, count)
            for index in _item_indices(value.val)
            if index != -1
        )
    steps = (step.instr_args for chain in plan.chains for step in chain.instructions)
    for number, step in enumerate(steps):
        yield from ((f"instructions[{number}]", *found) for found in _step_indices(step, plan))
    for number, delegate in enumerate(plan.delegates):
        payloads = len(program.backend_delegate_data)
        index = delegate.processed.index if delegate.processed is not None else -1
        yield f"delegates[{number}]", "payload", index, payloads


def _item_indices(value: schema.KernelTypes) -> Iterable[int]:
    return value.items if isinstance(value, _LISTS) else ()


def _step_indices(
    step: schema.InstructionArguments, plan: schema.ExecutionPlan
) -> Iterator[tuple[str, int, int]]:
    if isinstance(step, schema.KernelCall):
        yield "operator", step.op_index, len(plan.operators)
    elif isinstance(step, schema.DelegateCall):
        yield "delegate", step.delegate_index, len(plan.delegates)
    yield from (("value", index, len(plan.values)) for index in _values_of(step))


def _values_of(step: schema.InstructionArguments) -> Iterable[int]:
    if isinstance(step, (schema.KernelCall, schema.DelegateCall)):
        return step.args
    if isinstance(step, schema.MoveCall):
        return step.move_from, step.move_to
    return (step.cond_value_index,) if isinstance(step, schema.JumpFalseCall) else ()
