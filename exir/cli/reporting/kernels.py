"""Whether every call of a program has a kernel that takes it."""

from collections.abc import Iterator
from pathlib import Path
from typing import cast

from exir import schema
from exir.error import ConfigError, UnsupportedOperatorError
from exir.operators.document import TableError
from exir.operators.dtypes import dtype_name
from exir.operators.kernels import KernelTable, load_kernels
from exir.operators.operators import Operator, OperatorTable, load_operators
from exir.operators.rules import Call, TensorFacts
from exir.program import ExecutorchProgramManager
from exir.program.report import MethodReport

_MOST_PROBLEMS = 10
_CONSTANTS = (schema.Null, schema.Bool, schema.String)
_NUMBERS = (schema.Int, schema.Bool, schema.Double, schema.IntList)


def load_tables(
    operators: tuple[Path, ...], kernels: tuple[Path, ...]
) -> tuple[OperatorTable, KernelTable | None]:
    """The operators of all tables, and the kernels, None when no table of kernels is given.

    Raises `ConfigError`.
    """
    try:
        known = load_operators(*operators)
    except TableError as error:
        raise ConfigError(f"--operators: {error}") from error
    try:
        return known, load_kernels(kernels, known) if kernels else None
    except TableError as error:
        raise ConfigError(f"--kernels: {error}") from error


def check_kernels(manager: ExecutorchProgramManager, table: KernelTable) -> None:
    """Raise `UnsupportedOperatorError` that names every call without a kernel, and its line."""
    plans = manager.executorch_program.execution_plan
    problems = [
        problem
        for plan, method in zip(plans, manager.report.methods)
        for problem in _problems(plan, method, table)
    ]
    distinct = list(dict.fromkeys(problems))
    if distinct:
        more = len(distinct) - _MOST_PROBLEMS
        rest = f"\n    and {more} more" if more > 0 else ""
        raise UnsupportedOperatorError(
            "the program calls operators that no kernel of this build can run:"
            + "".join(f"\n    {problem}" for problem in distinct[:_MOST_PROBLEMS])
            + rest
            + "\n  write the model with other operators, choose a 'backend' that takes them, or add"
            " kernels (kernels/README.md)"
        )


def _problems(plan: schema.ExecutionPlan, method: MethodReport, table: KernelTable) -> Iterator[str]:
    for call, use in zip(kernel_calls(plan), method.operator_uses):
        where = f" ({use.source})" if use.source else ""
        if use.name not in table:
            yield f"{use.name} on {', '.join(use.dtypes) or 'no tensors'}: no kernel{where}"
        else:
            facts = call_facts(plan, call, table.of(use.name)[0].operator)
            yield from (f"{use.name}: {reason}{where}" for reason in table.refusals(use.name, facts))


def kernel_calls(plan: schema.ExecutionPlan) -> list[schema.KernelCall]:
    """The calls of kernels, in order."""
    steps = (step.instr_args for chain in plan.chains for step in chain.instructions)
    return [step for step in steps if isinstance(step, schema.KernelCall)]


def call_facts(plan: schema.ExecutionPlan, call: schema.KernelCall, operator: Operator) -> Call:
    """What a program says of a call's arguments before it runs. Integers may be computed then."""
    pairs = list(zip(operator.arguments, call.args))
    others = {
        argument.name: plan.values[index].val for argument, index in pairs if not argument.is_tensor
    }
    return Call(
        tensors={
            argument.name: _tensors(plan, index) for argument, index in pairs if argument.is_tensor
        },
        attributes={
            name: _constant(value) for name, value in others.items() if isinstance(value, _CONSTANTS)
        },
        numbers={
            name: _number(plan, value) for name, value in others.items() if isinstance(value, _NUMBERS)
        },
    )


def _constant(value: schema.Null | schema.Bool | schema.String) -> bool | str | None:
    if isinstance(value, schema.Null):
        return None
    return value.bool_val if isinstance(value, schema.Bool) else value.string_val


def _number(plan: schema.ExecutionPlan, value: schema.KernelTypes) -> float | tuple[int, ...]:
    """What the program starts with, of `_NUMBERS`."""
    if isinstance(value, schema.IntList):
        return tuple(cast(schema.Int, plan.values[index].val).int_val for index in value.items)
    if isinstance(value, schema.Double):
        return value.double_val
    return value.int_val if isinstance(value, schema.Int) else cast(schema.Bool, value).bool_val


def _tensors(plan: schema.ExecutionPlan, index: int) -> list[TensorFacts]:
    """The tensor, or each tensor of the list, at `index`."""
    value = plan.values[index].val if index >= 0 else None
    if isinstance(value, schema.Tensor):
        return [TensorFacts(dtype_name(value.scalar_type), tuple(value.dim_order), tuple(value.sizes))]
    if isinstance(value, (schema.TensorList, schema.OptionalTensorList)):
        return [facts for item in value.items for facts in _tensors(plan, item)]
    return []
