"""Runs the official package's operator tests, `backends/test/suite/operators`.

The tests use one fixture, `test_runner`, whose `lower_and_run_model` takes a module and its inputs. The fixture here
compiles the module with portable kernels, and compares the C runtime with eager PyTorch elementwise. It also runs tests
that the official package skips for every backend: infinities and NaN, and in-place activations.
"""

from __future__ import annotations

import sys
import unittest
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest
import torch
from torch.utils import _pytree as pytree

from exir.cli.reporting.calls import Call
from tests.operators.compiled import compile_function, run_program

_SUITE = Path("executorch", "backends", "test", "suite")
_PACKAGE = "executorch.backends.test.suite"
# Absolute and relative tolerances by dtype; the official runner allows 0.1 and 0.04 for all dtypes.
_TOLERANCES = {torch.float16: 4e-3, torch.float32: 1e-4, torch.float64: 1e-9}


@dataclass
class Case:
    """A module and inputs of one test; a test can have several cases."""

    test: str
    problem: str


@dataclass
class Results:
    """The results of all cases."""

    cases: list[Case] = field(default_factory=list)
    broken: dict[str, str] = field(default_factory=dict)

    def failed(self) -> dict[str, str]:
        """Return the reason for each failure: a failed case, or an error of the test."""
        return {**self.broken, **{case.test: case.problem for case in self.cases if case.problem}}

    # A hook that pytest calls.

    def pytest_collect_directory(self, path: Path, parent: pytest.Collector) -> pytest.Collector:
        return pytest.Dir.from_parent(parent, path=path)

    def pytest_pycollect_makemodule(self, module_path: Path, parent: pytest.Collector) -> pytest.Collector:
        return _TestFile.from_parent(parent, path=module_path)

    @pytest.fixture
    def test_runner(self, request: pytest.FixtureRequest) -> SimpleNamespace:
        name = request.node.nodeid.rpartition("operators/")[2]
        return SimpleNamespace(_flow=SimpleNamespace(quantize=False), lower_and_run_model=self._case(name))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._note(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._note(report)

    def _note(self, report: Any) -> None:
        if report.outcome != "passed":
            self.broken[report.nodeid.rpartition("operators/")[2]] = report.longreprtext

    def _case(self, test: str) -> Callable[..., None]:
        def lower_and_run_model(model: torch.nn.Module, inputs: tuple[Any, ...], **_: object) -> None:
            self.cases.append(Case(test, _problem(model.eval(), inputs)))

        torch.manual_seed(0)
        return lower_and_run_model


def _problem(model: torch.nn.Module, inputs: tuple[Any, ...]) -> str:
    """Return what is wrong with the compiled module, or "" if it is correct."""
    with torch.no_grad():  # if eager PyTorch rejects the inputs, the test is wrong
        expected = pytree.tree_leaves(model(*pytree.tree_map_only(torch.Tensor, torch.Tensor.clone, inputs)))
    leaves = tuple(pytree.tree_leaves(inputs))
    error = max(
        _TOLERANCES.get(tensor.dtype, 0.0) for tensor in (*leaves, *expected) if isinstance(tensor, torch.Tensor)
    )
    try:
        program = compile_function(model, inputs)
    except Exception as refusal:
        return f"{type(refusal).__name__}: {refusal}"
    return run_program(program, Call("forward", leaves, tuple(expected)), error, error)


class _TestFile(pytest.Module):
    """A test file, imported without its packages; no test is skipped."""

    def _getobj(self) -> ModuleType:
        with patch.object(unittest, "skip", lambda reason: lambda test: test):
            return _imported(self.path.stem, self.path)


def _imported(name: str, path: Path) -> ModuleType:
    spec = spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


def _stand_in(site: Path) -> None:
    """Install the modules that the tests import, without the official compiler."""
    parents = _PACKAGE.split(".")
    for depth in range(1, len(parents) + 1):
        name = ".".join(parents[:depth])
        sys.modules[name] = ModuleType(name)
    sys.modules[f"{_PACKAGE}.flow"] = flow = ModuleType("flow")
    vars(flow)["TestFlow"] = object
    _imported(f"{_PACKAGE}.operators", site / _SUITE / "operators" / "__init__.py")


def run_suite(selected: str = "test_*.py") -> Results:
    """Run the test files that match the pattern."""
    site = next(Path(entry) for entry in sys.path if (Path(entry) / _SUITE).is_dir())
    _stand_in(site)
    results = Results()
    files = sorted(map(str, (site / _SUITE / "operators").glob(selected)))
    options = ["-q", "--tb=line", "--noconftest", "-p", "no:cacheprovider", "-p", "no:warnings"]
    pytest.main([*options, f"--rootdir={site}", *files], plugins=[results])
    return results


if __name__ == "__main__":
    found = run_suite(*sys.argv[1:])
    print("\n".join(f"{test}: {problem[:300]}" for test, problem in found.failed().items()))
    print(len(found.cases), "cases", len([case for case in found.cases if case.problem]), "wrong")
