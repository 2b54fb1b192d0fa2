"""Print programs as readable text.

method forward
  arena 1: 2048 bytes
  inputs: %2
    0: aten::addmm.out(%1, %2, %0, 1, 1, %9, %9)
         %9: float32[3, 16] at 1+0
  outputs: %9
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TextIO

from torch.fx import Graph, Node

from exir import schema


def print_program(
    program: schema.Program,
    show_meminfo: bool = True,
    mark_dynamic_shape_tensor: bool = False,
    out: TextIO | None = None,
) -> None:
    """Print the instructions of every method, with their values and result types.

    show_meminfo: print the location of tensors, as memory id + offset in bytes.
    mark_dynamic_shape_tensor: print `~` before sizes that are upper bounds.
    out: the output file; by default, the standard output.
    """
    options = _PrintOptions(show_meminfo, mark_dynamic_shape_tensor)
    for plan in program.execution_plan:
        for line in _plan_lines(plan, options):
            print(line, file=out or sys.stdout)


def inspect_node(graph: Graph, node: Node) -> str:
    """Print `graph` to a string, with an arrow before `node`."""
    lines = ((node_.format_node() or f"return {node_.args[0]}", node_ is node) for node_ in graph.nodes)
    return "\n".join(f"{'-->' if marked else '   '} {line}" for line, marked in lines)


@dataclass(frozen=True)
class _PrintOptions:
    memory: bool
    dynamic: bool


def _plan_lines(plan: schema.ExecutionPlan, options: _PrintOptions) -> Iterator[str]:
    yield f"method {plan.name}"
    for memory_id, size in enumerate(plan.non_const_buffer_sizes[1:], start=1):
        yield f"  arena {memory_id}: {size} bytes"
    yield f"  inputs: {_format_indices(plan.inputs)}"
    shown: set[int] = set()
    for chain in plan.chains:
        for index, instruction in enumerate(chain.instructions):
            yield f"  {index:3}: {_format_instruction(instruction.instr_args, plan)}"
            yield from _new_tensors(instruction.instr_args, plan, options, shown)
    yield f"  outputs: {_format_indices(plan.outputs)}"


def _format_indices(values: list[int]) -> str:
    return ", ".join(f"%{index}" for index in values)


def _format_instruction(call: schema.InstructionArguments, plan: schema.ExecutionPlan) -> str:
    if isinstance(call, schema.KernelCall):
        return f"{_operator_name(plan.operators[call.op_index])}({_format_arguments(call.args, plan)})"
    if isinstance(call, schema.DelegateCall):
        delegate = plan.delegates[call.delegate_index]
        return f"delegate {delegate.id}({_format_arguments(call.args, plan)})"
    if isinstance(call, schema.MoveCall):
        return f"%{call.move_to} = %{call.move_from}"
    if isinstance(call, schema.JumpFalseCall):
        return f"{_format_condition(call, plan)}go to {call.destination_instruction}"
    return f"free %{call.value_index}"


def _format_condition(jump: schema.JumpFalseCall, plan: schema.ExecutionPlan) -> str:
    """Return the condition of a jump, or "" for the constant False."""
    val = plan.values[jump.cond_value_index].val
    always = isinstance(val, schema.Bool) and not val.bool_val
    return "" if always else f"unless %{jump.cond_value_index} "


def _operator_name(operator: schema.Operator) -> str:
    return f"{operator.name}.{operator.overload}" if operator.overload else str(operator.name)


def _format_arguments(args: list[int], plan: schema.ExecutionPlan) -> str:
    return ", ".join(_format_value(index, plan) for index in args)


def _format_value(index: int, plan: schema.ExecutionPlan) -> str:
    """Format an argument: scalars and lists by content, tensors by index."""
    val = plan.values[index].val if index >= 0 else schema.Null()
    if isinstance(val, schema.Null):
        return "None"
    if isinstance(val, (schema.Tensor, type(None))):
        return f"%{index}"
    if isinstance(val, (schema.IntList, schema.TensorList, schema.OptionalTensorList)):
        return f"[{_format_arguments(val.items, plan)}]"
    return repr(_format_literal(val))


def _format_literal(val: Any) -> Any:
    (content,) = vars(val).values()
    return content


def _new_tensors(
    call: schema.InstructionArguments,
    plan: schema.ExecutionPlan,
    options: _PrintOptions,
    shown: set[int],
) -> Iterator[str]:
    """Yield one line for each tensor argument that has not been described yet."""
    for index in getattr(call, "args", ()):
        val = plan.values[index].val if index >= 0 else None
        if isinstance(val, schema.Tensor) and index not in shown:
            shown.add(index)
            yield f"         %{index}: {_format_tensor(val, options)}"


def _format_tensor(tensor: schema.Tensor, options: _PrintOptions) -> str:
    static = tensor.shape_dynamism is schema.TensorShapeDynamism.STATIC
    mark = "" if static or not options.dynamic else "~"
    text = f"{tensor.scalar_type.name.lower()}{mark}{list(tensor.sizes)}"
    if tensor.data_buffer_idx:
        text += f" constant {tensor.data_buffer_idx}"
    if (
        tensor.extra_tensor_info
        and tensor.extra_tensor_info.location == schema.TensorDataLocation.EXTERNAL
    ):
        text += f" external {tensor.extra_tensor_info.fully_qualified_name}"
    if options.memory and tensor.allocation_info:
        text += f" at {tensor.allocation_info.memory_id}+{_format_offset(tensor.allocation_info)}"
    return text


def _format_offset(allocation: schema.AllocationDetails) -> int:
    return allocation.memory_offset_high << 32 | allocation.memory_offset_low
