"""The kernel calls of a program, and the known properties of their arguments."""

from typing import cast

from exir import schema
from exir.operators.dtypes import dtype_name
from exir.operators.operators import Operator
from exir.operators.rules import Call, TensorInfo, has_layout

_CONSTANTS = (schema.Null, schema.Bool, schema.String)
_NUMBERS = (schema.Int, schema.Bool, schema.Double, schema.IntList)


def kernel_calls(plan: schema.ExecutionPlan) -> list[schema.KernelCall]:
    """Return the kernel calls, in order."""
    steps = (step.instr_args for chain in plan.chains for step in chain.instructions)
    return [step for step in steps if isinstance(step, schema.KernelCall)]


def describe_call(plan: schema.ExecutionPlan, call: schema.KernelCall, operator: Operator) -> Call:
    """Return the properties of a call's arguments that are known before execution.

    Integers can still change at run time; the result has their initial values.
    """
    pairs = list(zip(operator.arguments, call.args))
    others = {
        argument.name: plan.values[index].val for argument, index in pairs if not argument.is_tensor
    }
    return Call(
        tensors={
            argument.name: _tensors_at(plan, index) for argument, index in pairs if argument.is_tensor
        },
        attributes={
            name: _constant_value(value)
            for name, value in others.items()
            if isinstance(value, _CONSTANTS)
        },
        numbers={
            name: _initial_value(plan, value)
            for name, value in others.items()
            if isinstance(value, _NUMBERS)
        },
    )


def _constant_value(value: schema.Null | schema.Bool | schema.String) -> bool | str | None:
    if isinstance(value, schema.Null):
        return None
    return value.bool_val if isinstance(value, schema.Bool) else value.string_val


def _initial_value(plan: schema.ExecutionPlan, value: schema.KernelTypes) -> float | tuple[int, ...]:
    """Return the initial value of a scalar or list."""
    if isinstance(value, schema.IntList):
        return tuple(cast(schema.Int, plan.values[index].val).int_val for index in value.items)
    if isinstance(value, schema.Double):
        return value.double_val
    return value.int_val if isinstance(value, schema.Int) else cast(schema.Bool, value).bool_val


def _tensors_at(plan: schema.ExecutionPlan, index: int) -> list[TensorInfo]:
    """Return the tensor at `index`, or each tensor of the list at `index`."""
    value = plan.values[index].val if index >= 0 else None
    if isinstance(value, schema.Tensor):
        return [TensorInfo(dtype_name(value.scalar_type), tuple(value.dim_order), tuple(value.sizes))]
    if isinstance(value, (schema.TensorList, schema.OptionalTensorList)):
        return [tensor for item in value.items for tensor in _tensors_at(plan, item)]
    return []


def tensors_of(plan: schema.ExecutionPlan, call: schema.KernelCall) -> list[schema.Tensor]:
    """Return the distinct tensors of a call, including those in lists, in order."""
    indices = dict.fromkeys(_tensor_indices(plan, call.args))
    return [cast(schema.Tensor, plan.values[index].val) for index in indices]


def dtypes_of(tensors: list[schema.Tensor]) -> tuple[str, ...]:
    """Return the dtypes of `tensors`, as kernel selection expects them."""
    return tuple(dtype_name(tensor.scalar_type) for tensor in tensors)


def any_channels_last(tensors: list[schema.Tensor]) -> bool:
    """Return whether any of `tensors` is channels-last."""
    return any(has_layout(tuple(tensor.dim_order), "channels_last") for tensor in tensors)


def _tensor_indices(plan: schema.ExecutionPlan, indices: list[int]) -> list[int]:
    """Return the indices of tensors among `indices`, including those in lists."""
    found: list[int] = []
    for index in indices:
        value = plan.values[index].val if index >= 0 else None
        if isinstance(value, schema.Tensor):
            found.append(index)
        elif isinstance(value, (schema.TensorList, schema.OptionalTensorList)):
            found += _tensor_indices(plan, value.items)
    return found
