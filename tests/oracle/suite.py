"""Runs the official package's tests on rules_executorch under official names.

The official package provides the test modules and everything outside the compiler: the runtime's
  bindings, and XNNPACK's quantizer and partitioner. Every imported `executorch.exir` module is from
  this repository.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

FOLDERS = ("tests", "emit/test", "program/test", "_serialize/test", "dialects", "operator/test", "verification/test")
_TEST_FOLDERS = {"test", "tests"}


def take_official_package_off_the_path() -> Path:
    """Return the official package's folder, after moving it to the end of `sys.path`."""
    site = next(Path(entry) for entry in sys.path if (Path(entry) / "executorch" / "exir" / "tests").is_dir())
    sys.path.remove(str(site))
    compat = Path(__file__).resolve().parents[2] / "compat"
    sys.path.insert(0, str(compat))
    import executorch  # noqa: F401  (ours, which refuses another one on the path)

    sys.path.append(str(site))
    sys.meta_path.insert(0, _OfficialTests(site))
    return site


class _OfficialTests:
    """Finds official test modules, and official modules outside of `executorch.exir`."""

    def __init__(self, site: Path) -> None:
        self._site = site

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of an official module, or None for a module of this repository."""
        package, *rest = fullname.split(".")
        is_ours = not rest or rest[0].startswith("_") or (rest[0] == "exir" and not _TEST_FOLDERS & set(rest))
        if package != "executorch" or is_ours:
            return None
        return PathFinder.find_spec(fullname, [str(self._site.joinpath(package, *rest[:-1]))])


@dataclass
class Results:
    """The outcome of each test, by `folder/file.py::Class::test`.

    A file that cannot be imported is one test.
    """

    site: Path
    outcomes: dict[str, str] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)

    def failed(self) -> set[str]:
        """Return the tests that failed."""
        return {test for test, outcome in self.outcomes.items() if outcome == "failed"}

    def table(self) -> str:
        """Return a table of the test counts of each file, then the errors by frequency."""
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for test, outcome in self.outcomes.items():
            counts[test.partition("::")[0]][outcome] += 1
        lines = [f"{name:55} {dict(outcomes)}" for name, outcomes in sorted(counts.items())]
        causes = Counter(error[:160] for error in self.errors.values())
        total = Counter(self.outcomes.values())
        return "\n".join([*lines, *(f"{n:4} {cause}" for cause, n in causes.most_common()), str(dict(total))])

    # A hook that pytest calls.

    def pytest_collect_directory(self, path: Path, parent: pytest.Collector) -> pytest.Collector:
        return pytest.Dir.from_parent(parent, path=path)

    def pytest_pycollect_makemodule(self, module_path: Path, parent: pytest.Collector) -> pytest.Collector:
        return _OfficialModule.from_parent(parent, path=module_path, site=self.site)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        is_expected = hasattr(report, "wasxfail")
        if report.when == "call" or report.outcome != "passed":
            self._note(report, "skipped" if is_expected else report.outcome)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._note(report, "failed")

    def _note(self, report: Any, outcome: str) -> None:
        test = report.nodeid.rpartition("executorch/exir/")[2]
        if self.outcomes.get(test) != "failed":
            self.outcomes[test] = outcome
        if outcome == "failed":
            self.errors[test] = _first_line(report.longreprtext)


def _first_line(text: str) -> str:
    marked = [line[4:] for line in text.splitlines() if line.startswith("E   ") and line[4:].strip()]
    return marked[0] if marked else (text.splitlines() or [""])[-1]


class _OfficialModule(pytest.Module):
    """A test file, imported under its official name."""

    def __init__(self, *args: Any, site: Path, **options: Any) -> None:
        super().__init__(*args, **options)
        self._site = site

    def _getobj(self) -> ModuleType:
        return importlib.import_module(os.path.relpath(self.path, self._site).removesuffix(".py").replace("/", "."))


def run_suite(selected: Sequence[str] = FOLDERS) -> Results:
    """Run the official tests in folders or files of `executorch/exir`."""
    site = take_official_package_off_the_path()
    results = Results(site)
    paths = [str(site / "executorch" / "exir" / path) for path in selected]
    options = ["-q", "--tb=short", "-p", "no:cacheprovider", "-p", "no:warnings", "--continue-on-collection-errors"]
    pytest.main([*options, f"--rootdir={site}", *paths], plugins=[results])
    return results


if __name__ == "__main__":
    print(run_suite(sys.argv[1:] or FOLDERS).table())
