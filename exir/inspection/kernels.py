"""Check that every call of a program has a kernel that accepts it."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from exir import schema
from exir.base_error import ConfigError
from exir.inspection.calls import describe_call, kernel_calls
from exir.inspection.report import MethodReport
from exir.operators.document import TableError
from exir.operators.kernels import KernelTable, load_kernels
from exir.operators.operators import OperatorTable, load_operators

_MOST_PROBLEMS = 10


def load_tables(
    operators: tuple[Path, ...], kernels: tuple[Path, ...]
) -> tuple[OperatorTable, KernelTable | None]:
    """Load the operator tables and the kernel tables.

    The kernels are None if `kernels` is empty. Raises `ConfigError`.
    """
    try:
        known = load_operators(*operators)
    except TableError as error:
        raise ConfigError(f"--operators: {error}") from error
    try:
        return known, load_kernels(kernels, known) if kernels else None
    except TableError as error:
        raise ConfigError(f"--kernels: {error}") from error


def calls_without_kernel(
    plans: Sequence[schema.ExecutionPlan], methods: Sequence[MethodReport], table: KernelTable
) -> str:
    """List the calls that no kernel accepts, one per line, with source lines.

    At most ten calls are listed. Returns "" if every call has a kernel.
    """
    problems = [
        problem
        for plan, method in zip(plans, methods)
        for problem in _kernel_problems(plan, method, table)
    ]
    distinct = list(dict.fromkeys(problems))
    more = len(distinct) - _MOST_PROBLEMS
    rest = f"\n    and {more} more" if more > 0 else ""
    return "".join(f"\n    {problem}" for problem in distinct[:_MOST_PROBLEMS]) + rest


def _kernel_problems(
    plan: schema.ExecutionPlan, method: MethodReport, table: KernelTable
) -> Iterator[str]:
    for call, use in zip(kernel_calls(plan), method.operator_uses):
        where = f" ({use.source})" if use.source else ""
        if use.name not in table:
            yield f"{use.name} on {', '.join(use.dtypes) or 'no tensors'}: no kernel{where}"
        else:
            described = describe_call(plan, call, table.of(use.name)[0].operator)
            yield from (f"{use.name}: {reason}{where}" for reason in table.refusals(use.name, described))
