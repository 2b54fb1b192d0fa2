"""What method memory holds, counted; `executorch/method_layout.h` makes bytes of it on each machine."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from exir import schema
from exir.base_error import ConfigError
from exir.operators.expressions import fill
from exir.operators.kernels import Kernel, KernelTable
from exir.operators.rules import Call
from exir.plan.calls import call_facts, kernel_calls

_INDEX_LISTS = (schema.IntList, schema.TensorList, schema.OptionalTensorList)


@dataclass(frozen=True)
class RuntimeMemory:
    """The memory of a delegate's runtime side, as constant C expressions.

    handle: bytes of its handle; "" for none.
    scratch: bytes of scratch memory; "" for none.
    header: header of the backend's `runtime` library that declares the names in these expressions, as C includes it.
    """

    handle: str = ""
    scratch: str = ""
    header: str = ""


@dataclass(frozen=True)
class CalledMemory:
    """What the delegates or the kernels that a method calls need besides, as C expressions."""

    kept: tuple[str, ...]  # bytes of each delegate's handle, or of each call's state
    scratch: tuple[str, ...]  # bytes of scratch, the largest of which does
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


def kernel_memory(plan: schema.ExecutionPlan, table: KernelTable) -> CalledMemory:
    """What the rows of the kernels say of the calls. Raises `ConfigError`."""
    return called_memory(
        [need for call in kernel_calls(plan) for need in _call_memory(plan, call, table)]
    )


def called_memory(needs: Sequence[RuntimeMemory]) -> CalledMemory:
    """What several need together."""
    return CalledMemory(
        kept=tuple(each.handle for each in needs if each.handle),
        scratch=tuple(each.scratch for each in needs if each.scratch),
        headers=tuple(sorted({each.header for each in needs if each.header})),
    )


def _call_memory(
    plan: schema.ExecutionPlan, call: schema.KernelCall, table: KernelTable
) -> Iterator[RuntimeMemory]:
    """What the kernels that may run a call need: just one keeps a state."""
    name = plan.operators[call.op_index].full_name
    if name not in table:
        return
    facts = call_facts(plan, call, table.of(name)[0].operator)
    kernels = list(table.candidates(name, facts))
    states = [_filled(kernel, kernel.state, facts) for kernel in kernels if kernel.state]
    for kernel in kernels:
        yield RuntimeMemory("", _filled(kernel, kernel.scratch, facts), kernel.header)
    if states:
        yield RuntimeMemory(reduce("ET_LARGER({}, {})".format, states))


def _filled(kernel: Kernel, expression: str, facts: Call) -> str:
    try:
        return fill(expression, facts)
    except ValueError as error:
        raise ConfigError(f"--kernels: {kernel.source}: {kernel.operator.name}: {error}") from error


def _argument_count(step: schema.InstructionArguments) -> int:
    if isinstance(step, (schema.KernelCall, schema.DelegateCall)):
        return len(step.args)
    return {schema.MoveCall: 2, schema.JumpFalseCall: 1}.get(type(step), 0)
