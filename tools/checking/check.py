"""Run every check of this repository, two at a time (`tools/check`)."""

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from commands import BootstrapError, run
from install_environment import install
from prose import covered_files, scope
from toolbox import toolbox

_ROOT = Path(__file__).absolute().parents[2]
_LOCKS = _ROOT / "third_party/python"
_C = ("*.c", "*.h")
_CLANG_FORMAT_PLACE = re.compile(r"^(\S+?):\d+:\d+: (?:error|warning): ", re.MULTILINE)
# third_party/offline replaces other rule sets on Bazel 4, and uses its old names.
_STARLARK = ("*.bzl", "*.bazel", "*WORKSPACE", ":!third_party/offline")


@dataclass(frozen=True)
class Check:
    """A program that checks all files of a kind. Exit code 0 means no findings."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    shorten: Callable[[str], str] = str


@dataclass(frozen=True)
class Finding:
    """The output, result and duration of a check."""

    name: str
    passed: bool
    output: str
    seconds: float


def checks(tools: Path, site: Path, fix: bool) -> list[Check]:
    """Return all checks, slowest first. With `fix`, they correct files where possible."""
    python_path = {"PYTHONPATH": f"{tools}:{site}"}
    ruff, clang_format = str(tools / "bin/ruff"), str(tools / "clang_format/data/bin/clang-format")
    buildifier = [
        str(tools / "bin/buildifier"),
        f"-mode={'fix' if fix else 'check'}",
        f"-lint={'fix' if fix else 'warn'}",
    ]
    return [
        Check("types of Python", [sys.executable, "-m", "mypy"], python_path),
        Check(
            "format of C",
            [clang_format, *(["-i"] if fix else ["--dry-run", "--Werror"]), *files(*_C)],
            shorten=files_to_format,
        ),
        Check("format and lint of Starlark", [*buildifier, *files(*_STARLARK)]),
        Check("imports of Python", [sys.executable, "tools/checking/imports.py"]),
        Check("names of tests", [sys.executable, "tools/checking/unique_tests.py"]),
        Check("prose", [sys.executable, "tools/checking/prose.py"]),
        Check("spelling", spelling(fix), {"PYTHONPATH": str(tools)}),
        Check("lint of Python", [ruff, "check", *(["--fix"] if fix else [])]),
        Check("format of Python", [ruff, "format", *([] if fix else ["--check"])]),
    ]


def spelling(fix: bool) -> list[str]:
    """Return the command that checks US spelling in the prose check's files."""
    codespell = [sys.executable, "-m", "codespell_lib", "--builtin=clear,rare,en-GB_to_en-US"]
    words = ["--ignore-words=tools/checking/words.txt", *(["--write-changes"] if fix else [])]
    return [*codespell, *words, *covered_files(scope())]


def files_to_format(output: str) -> str:
    """Return the file names in clang-format's output, without duplicates."""
    return "".join(f"{name}\n" for name in dict.fromkeys(_CLANG_FORMAT_PLACE.findall(output)))


def files(*patterns: str) -> list[str]:
    """Return tracked and new files that match `patterns`, without ignored ones."""
    listing = run(["git", "-C", str(_ROOT), "ls-files", "--cached", "--others", "--exclude-standard", *patterns])
    return [name for name in listing.splitlines() if (_ROOT / name).exists()]


def carry_out(check: Check) -> Finding:
    start = time.monotonic()
    environment = {**os.environ, **check.environment}
    process = subprocess.run(
        check.command, cwd=_ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    return Finding(check.name, process.returncode == 0, check.shorten(process.stdout), time.monotonic() - start)


def report(findings: Sequence[Finding]) -> str:
    """Return the output of failed checks, then one line per check."""
    outputs = [f"--- {finding.name}\n{finding.output.rstrip()}" for finding in findings if not finding.passed]
    lines = [f"{'ok    ' if one.passed else 'FAILED'} {one.seconds:5.1f} s  {one.name}" for one in findings]
    passed = sum(finding.passed for finding in findings)
    return "\n".join([*outputs, *lines, f"{passed} passed, {len(findings) - passed} failed"])


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="tools/check", description="Check format, lint, types and prose of this repository."
    )
    parser.add_argument("--fix", action="store_true", help="format, and fix problems where possible")
    options = parser.parse_args()
    try:
        tools, site = toolbox(_LOCKS / "check.lock"), install(_LOCKS / "requirements.lock")[0]
        planned = checks(tools, site, options.fix)
    except (BootstrapError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    with ThreadPoolExecutor(max_workers=1 if options.fix else 2) as pool:
        findings = list(pool.map(carry_out, planned))
    print(report(findings))
    return 0 if all(finding.passed for finding in findings) else 1


if __name__ == "__main__":
    sys.exit(main())
