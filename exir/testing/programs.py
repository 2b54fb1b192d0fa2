"""Programs that together use most of PyTorch's features, by name."""

from exir.testing import loop_cases, module_cases, operator_cases, write_cases
from exir.testing.case import Cases

CASES: Cases = {**module_cases.CASES, **operator_cases.CASES, **write_cases.CASES, **loop_cases.CASES}
