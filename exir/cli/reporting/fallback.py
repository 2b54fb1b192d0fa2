"""Check that calls have kernels, and that only allowed operators use them."""

from collections.abc import Collection, Iterator

from exir.error import UnsupportedOperatorError
from exir.inspection.kernels import calls_without_kernel
from exir.inspection.report import MethodReport, OperatorUse
from exir.operators.kernels import KernelTable
from exir.program import ExecutorchProgramManager

# The runtime itself computes sizes and conditions; backends do not support them.
_OF_THE_RUNTIME = "executorch_prim::"
_MOST_CALLS = 10


def check_kernels(manager: ExecutorchProgramManager, table: KernelTable) -> None:
    """Raise an `UnsupportedOperatorError` that lists calls without a kernel."""
    plans = manager.executorch_program.execution_plan
    problems = calls_without_kernel(plans, manager.report.methods, table)
    if problems:
        raise UnsupportedOperatorError(
            "no kernel of this build supports these calls:"
            + problems
            + (
                "\n  use other operators, choose a 'backend' that supports them, or add kernels "
                "(kernels/README.md)"
            )
        )


def check_fallback(manager: ExecutorchProgramManager, allowed: Collection[str]) -> None:
    """Raise an error for operators outside `allowed` that run on kernels.

    The `UnsupportedOperatorError` lists them with their source lines. An operator is allowed by its
    name in the program, with or without the overload.
    """
    calls = [
        _format_use(use)
        for method in manager.report.methods
        for use in _disallowed_fallbacks(method, allowed)
    ]
    distinct = list(dict.fromkeys(calls))
    if not distinct:
        return
    more = len(distinct) - _MOST_CALLS
    rest = f"\n    and {more} more" if more > 0 else ""
    raise UnsupportedOperatorError(
        "these operators fall back to kernels, but 'allow_fallback' does not list them:"
        + "".join(f"\n    {call}" for call in distinct[:_MOST_CALLS])
        + rest
        + "\n  use operators that the backend supports, or add these to 'allow_fallback'"
    )


def _disallowed_fallbacks(method: MethodReport, allowed: Collection[str]) -> Iterator[OperatorUse]:
    for use in method.operator_uses:
        names = {use.name, use.name.partition(".")[0]}
        if names.isdisjoint(allowed) and not use.name.startswith(_OF_THE_RUNTIME):
            yield use


def _format_use(use: OperatorUse) -> str:
    where = f" ({use.source})" if use.source else ""
    reasons = "".join(f"; {backend}: {reason}" for backend, reason in sorted(use.refusals.items()))
    return f"{use.name}{where}{reasons}"
