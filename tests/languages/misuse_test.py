"""Tests that the page of common mistakes shows the messages that users see."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

_PAGE = Path("docs/reference/common_mistakes.md")
_FOLDERS = (".", "runtime/include", "kernels/include", "bindings/cc/include")
_HEADER = "tests/languages/feature_models_external_weights_one_row_cc"
_PROGRAMS = [name for name in ("MISUSE_C", "MISUSE_CPP", "MISUSE_RUST", "MISUSE_JAVA") if name in os.environ]


def _page() -> str:
    return _PAGE.read_text(encoding="utf-8")


def _shown(language: str) -> dict[str, str]:
    """Return the messages by case: rows `| case | language | message |`."""
    rows = re.findall(rf"^\| ([^|]+) \| {re.escape(language)} \| `([^`]+)` \|$", _page(), re.MULTILINE)
    return dict(rows)


@pytest.mark.parametrize("program", _PROGRAMS)
def test_messages_are_those_of_the_page(program: str, tmp_path: Path) -> None:
    command = [os.environ[program], os.environ["PROGRAM"], os.environ["WEIGHTS"]]
    command = [str(Path(path).absolute()) for path in command]
    result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    printed = dict(line.split(": ", 1) for line in result.stdout.splitlines())
    language = {"MISUSE_C": "C", "MISUSE_CPP": "C++", "MISUSE_RUST": "Rust", "MISUSE_JAVA": "Java"}[program]
    assert printed == _shown(language)


_C_FILE = """
#include "{header}.h"
et_status use(one_row_forward_method method, et_error *error);
et_status use(one_row_forward_method method, et_error *error) {{
  const double doubles[8] = {{0}};
  return {call};
}}
"""
_CPP_FILE = """
#include <array>
#include <vector>
#include "{header}.hpp"
using Net = tests::languages::FeatureModelsExternalWeightsOneRow;
void use(Net &net);
void use(Net &net) {{
  const std::vector<double> doubles(8);
  const std::array<float, 7> seven = {{}};
  {call};
}}
"""


@pytest.mark.parametrize(
    ("compiler", "call"),
    [
        ("gcc -std=c11 -Werror", "one_row_forward_set_x(method, doubles, error)"),
        ("gcc -std=c11 -Werror", "one_row_forward_set_x(method.base, doubles, error)"),
        ("g++ -std=c++17 -Werror", "(void)net.forward({doubles})"),
        ("g++ -std=c++17 -Werror", "(void)net.forward({seven})"),
        ("g++ -std=c++17 -Werror", "net.forward({doubles.data()})"),
        ("g++ -std=c++17 -Werror", "Net copy = net"),
        ("g++ -std=c++20 -Werror", "(void)net.forward({.x = seven})"),
    ],
)
def test_compile_errors_are_those_of_the_page(compiler: str, call: str) -> None:
    is_c = compiler.startswith("gcc")
    text = (_C_FILE if is_c else _CPP_FILE).format(header=_HEADER, call=call)
    command = [
        *compiler.split(),
        "-fsyntax-only",
        *(f"-I{folder}" for folder in _FOLDERS),
        "-x",
        "c" if is_c else "c++",
        "-",
    ]
    # In this locale, gcc's quotation marks are ASCII.
    environment = {**os.environ, "LC_ALL": "C"}
    result = subprocess.run(command, input=text, capture_output=True, text=True, check=False, env=environment)
    assert result.returncode != 0
    errors = re.findall(r"error: (.*?)(?: \[-W.*)?$", result.stderr, re.MULTILINE)
    assert any(f"| `{call}` | `{error}` |" in _page() for error in errors), f"{call}\n{result.stderr}"
