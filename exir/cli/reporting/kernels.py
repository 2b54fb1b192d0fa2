"""Whether every operator of a program has a kernel for its dtypes."""

from collections.abc import Iterator
from pathlib import Path

from exir import schema
from exir.error import ConfigError, UnsupportedOperatorError
from exir.program import ExecutorchProgramManager
from exir.program.report import MethodReport, dtype_name
from exir.operators.document import TableError
from exir.operators.kernels import Kernel, KernelTable, load_kernels
from exir.operators.operators import load_operators

_MOST_PROBLEMS = 10


def load_tables(operators: tuple[Path, ...], kernels: tuple[Path, ...]) -> KernelTable | None:
    """The kernels of all tables, or None when no table of kernels is given. Raises `ConfigError`."""
    try:
        known = load_operators(*operators)
    except TableError as error:
        raise ConfigError(f"--operators: {error}") from error
    try:
        return load_kernels(kernels, known) if kernels else None
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


def _problems(
    plan: schema.ExecutionPlan, method: MethodReport, table: KernelTable
) -> Iterator[str]:
    for call, use in zip(_kernel_calls(plan), method.operator_uses):
        where = f" ({use.source})" if use.source else ""
        kernels = table.of(use.name)
        if not kernels:
            yield f"{use.name} on {', '.join(use.dtypes) or 'no tensors'}: no kernel{where}"
        refusals = [list(_dtype_problems(plan, call, kernel)) for kernel in kernels]
        if all(refusals):
            yield from (reason + where for reasons in refusals[:1] for reason in reasons)


def _kernel_calls(plan: schema.ExecutionPlan) -> list[schema.KernelCall]:
    steps = (step.instr_args for chain in plan.chains for step in chain.instructions)
    return [step for step in steps if isinstance(step, schema.KernelCall)]


def _dtype_problems(
    plan: schema.ExecutionPlan, call: schema.KernelCall, kernel: Kernel
) -> Iterator[str]:
    for argument, index in zip(kernel.operator.arguments, call.args):
        allowed = kernel.dtypes.get(argument.name, ())
        for dtype in _dtypes(plan, index):
            if dtype not in allowed:
                yield (
                    f"{kernel.operator.name}: no kernel takes {dtype} for '{argument.name}', only"
                    f" {', '.join(allowed)}"
                )


def _dtypes(plan: schema.ExecutionPlan, index: int) -> list[str]:
    """Dtypes of the tensor, or of each tensor of the list, at `index`."""
    value = plan.values[index].val if index >= 0 else None
    if isinstance(value, schema.Tensor):
        return [dtype_name(value.scalar_type)]
    if isinstance(value, (schema.TensorList, schema.OptionalTensorList)):
        return [dtype for item in value.items for dtype in _dtypes(plan, item)]
    return []
