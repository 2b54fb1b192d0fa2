"""Check that every call of a lowered program has a kernel that accepts it."""

from exir.error import UnsupportedOperatorError
from exir.inspection.kernels import calls_without_kernel
from exir.operators.kernels import KernelTable
from exir.program import ExecutorchProgramManager


def check_kernels(manager: ExecutorchProgramManager, table: KernelTable) -> None:
    """Raise an `UnsupportedOperatorError` that lists calls without a kernel."""
    plans = manager.executorch_program.execution_plan
    problems = calls_without_kernel(plans, manager.report.methods, table)
    if problems:
        raise UnsupportedOperatorError(
            "the program calls operators that no kernel of this build can run:"
            + problems
            + "\n  write the model with other operators, choose a 'backend' that takes them, or add"
            " kernels (kernels/README.md)"
        )
