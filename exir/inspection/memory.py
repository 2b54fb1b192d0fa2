"""Count the objects in a method's memory.

`executorch/method_layout.h` converts the counts to bytes on each machine.
"""

import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

from exir import schema
from exir.base_error import ConfigError
from exir.inspection.calls import describe_call, kernel_calls
from exir.operators.expressions import fill
from exir.operators.kernels import Kernel, KernelTable
from exir.operators.rules import Call

_INDEX_LISTS = (schema.IntList, schema.TensorList, schema.OptionalTensorList)


@dataclass(frozen=True)
class RuntimeMemory:
    """The memory of a delegate's runtime side, as constant C expressions.

    handle: size of its handle in bytes, or "".
    scratch: size of scratch memory in bytes, or "".
    header: header of the backend's `runtime` library, as in an #include, or "". It declares the
      names in these expressions.
    """

    handle: str = ""
    scratch: str = ""
    header: str = ""


@dataclass(frozen=True)
class CalledMemory:
    """The memory that a method's delegates or kernels need, as C expressions.

    persistent: the sizes in bytes of each delegate's handle or each call's state.
    scratch: bytes of scratch memory. Calls share it, so the maximum is needed.
    headers: headers that declare the names in the expressions.
    """

    persistent: tuple[str, ...]
    scratch: tuple[str, ...]
    headers: tuple[str, ...]


def method_counts(plan: schema.ExecutionPlan) -> Mapping[str, int]:
    """Return the arguments of `ET_METHOD_BYTES` by name, without the last one."""
    values = [value.val for value in plan.values]
    tensors = [value for value in values if isinstance(value, schema.Tensor)]
    lists = [value for value in values if isinstance(value, _INDEX_LISTS)]
    steps = [step.instr_args for chain in plan.chains for step in chain.instructions]
    return {
        "values": len(values),
        "tensors": len(tensors),
        "planned_tensors": sum(tensor.allocation_info is not None for tensor in tensors),
        "list_items": sum(len(value_list.items) for value_list in lists),
        "instructions": len(steps),
        "args": sum(_argument_count(step) for step in steps),
        "delegates": len(plan.delegates),
        "specs": sum(len(delegate.compile_specs) for delegate in plan.delegates),
        "io_slots": len(plan.inputs) + len(plan.outputs),
        "dims": sum(len(tensor.sizes) for tensor in tensors),
    }


def kernel_memory(plan: schema.ExecutionPlan, table: KernelTable) -> CalledMemory:
    """Return the memory of all kernel calls. Raises `ConfigError`."""
    return called_memory(
        [need for call in kernel_calls(plan) for need in _call_memory(plan, call, table)]
    )


def called_memory(needs: Sequence[RuntimeMemory]) -> CalledMemory:
    """Combine the needs of several calls."""
    return CalledMemory(
        persistent=tuple(need.handle for need in needs if need.handle),
        scratch=tuple(need.scratch for need in needs if need.scratch),
        headers=tuple(sorted({need.header for need in needs if need.header})),
    )


def _call_memory(
    plan: schema.ExecutionPlan, call: schema.KernelCall, table: KernelTable
) -> Iterator[RuntimeMemory]:
    """Yield the needs of all kernels that may run a call.

    Only one of them runs, so the size of the state is the maximum.
    """
    name = plan.operators[call.op_index].full_name
    if name not in table:
        return
    described = describe_call(plan, call, table.of(name)[0].operator)
    kernels = list(table.candidates(name, described))
    states = [_fill_expression(kernel, kernel.state, described) for kernel in kernels if kernel.state]
    for kernel in kernels:
        yield RuntimeMemory("", _fill_expression(kernel, kernel.scratch, described), kernel.header)
    if states:
        yield RuntimeMemory(reduce("ET_MAX({}, {})".format, states))


def _fill_expression(kernel: Kernel, expression: str, described: Call) -> str:
    try:
        return fill(expression, described)
    except ValueError as error:
        raise ConfigError(f"--kernels: {kernel.source}: {kernel.operator.name}: {error}") from error


def _argument_count(step: schema.InstructionArguments) -> int:
    if isinstance(step, (schema.KernelCall, schema.DelegateCall)):
        return len(step.args)
    return {schema.MoveCall: 2, schema.JumpFalseCall: 1}.get(type(step), 0)


def payload_of(delegate: schema.BackendDelegate, program: schema.Program) -> bytes:
    """Return the payload that the backend's runtime reads."""
    assert delegate.processed is not None
    return bytes(program.backend_delegate_data[delegate.processed.index].data)


def measured_memory(measure: Path, payload: bytes, backend_id: str) -> RuntimeMemory:
    """Run `measure` on a payload and return the memory that it prints.

    Raises a `ConfigError` with the reason if `measure` rejects the payload.
    """
    result = subprocess.run([measure.resolve()], input=payload, capture_output=True, check=False)
    if result.returncode != 0:
        reason = result.stderr.decode(errors="replace").strip()
        raise ConfigError(f"backend '{backend_id}' rejects a delegate: {reason}")
    return RuntimeMemory(**json.loads(result.stdout))
