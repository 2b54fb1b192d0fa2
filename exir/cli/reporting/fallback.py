"""Whether what backends leave to kernels is what the user lets them leave."""

from collections.abc import Collection, Iterator

from exir.error import UnsupportedOperatorError
from exir.plan.report import MethodReport, OperatorUse
from exir.program import ExecutorchProgramManager

# What the runtime computes itself: sizes and conditions, which are no backend's to take.
_OF_THE_RUNTIME = "executorch_prim::"
_MOST_CALLS = 10


def check_fallback(manager: ExecutorchProgramManager, allowed: Collection[str]) -> None:
    """Raise `UnsupportedOperatorError` that names every operator outside `allowed` that runs on a kernel, and its line.

    An operator is allowed by its name in the program, or by that name without its overload.
    """
    calls = [_call(use) for method in manager.report.methods for use in _outside(method, allowed)]
    distinct = list(dict.fromkeys(calls))
    if not distinct:
        return
    more = len(distinct) - _MOST_CALLS
    rest = f"\n    and {more} more" if more > 0 else ""
    raise UnsupportedOperatorError(
        "these operators fall back to kernels, and 'allow_fallback' does not have them:"
        + "".join(f"\n    {call}" for call in distinct[:_MOST_CALLS])
        + rest
        + "\n  write the model with operators that the backend takes, or add them to 'allow_fallback'"
    )


def _outside(method: MethodReport, allowed: Collection[str]) -> Iterator[OperatorUse]:
    for use in method.operator_uses:
        names = {use.name, use.name.partition(".")[0]}
        if names.isdisjoint(allowed) and not use.name.startswith(_OF_THE_RUNTIME):
            yield use


def _call(use: OperatorUse) -> str:
    where = f" ({use.source})" if use.source else ""
    reasons = "".join(f"; {backend}: {reason}" for backend, reason in sorted(use.refusals.items()))
    return f"{use.name}{where}{reasons}"
