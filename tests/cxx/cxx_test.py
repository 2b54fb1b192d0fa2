"""Tests that public headers and example pages compile as C++17 and C++20.

Examples that need generated headers are excluded.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

_STANDARDS = ("c++17", "c++20")
_FOLDERS = ("runtime/include", "kernels/include", "text/include", "llm/include", ".")
_HEADERS = sorted(
    [
        *(
            str(path.relative_to(folder))
            for folder in map(Path, _FOLDERS[:-1])
            for path in folder.glob("executorch/**/*.h")
        ),
        "backends/cpu/threads/pool.h",
    ]
)


def _examples() -> list[tuple[str, str]]:
    """Return the C examples that include only public headers: page and source."""
    found = []
    for page in [*sorted(Path("docs").rglob("*.md")), Path("kernels/README.md")]:
        for text in re.findall(r"```c\n(/\* [\w/.]+ \*/\n.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
            headers = re.findall(r'^#include "(.*)"', text, re.MULTILINE)
            if headers and all(header in _HEADERS for header in headers):
                found.append((str(page), text))
    return found


def _compile(text: str, standard: str, *flags: str) -> None:
    includes = [f"-I{folder}" for folder in _FOLDERS]
    command = ["g++", f"-std={standard}", "-Wall", "-Werror", "-fsyntax-only", *flags, *includes, "-x", "c++", "-"]
    result = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


def test_every_public_folder_has_headers() -> None:
    assert len(_HEADERS) >= 40
    assert len(_examples()) >= 2


@pytest.mark.parametrize("standard", _STANDARDS)
@pytest.mark.parametrize("header", _HEADERS)
def test_public_header_compiles_as_cxx(header: str, standard: str) -> None:
    _compile(f'#include "{header}"\n#include "{header}"\n', standard, "-Wextra", "-pedantic")


@pytest.mark.parametrize("header", _HEADERS)
def test_public_header_declares_c_functions(header: str) -> None:
    text = next(path for path in (Path(folder) / header for folder in _FOLDERS) if path.exists()).read_text()
    assert 'extern "C" {' in text


@pytest.mark.parametrize("standard", _STANDARDS)
@pytest.mark.parametrize("index", range(len(_examples())))
def test_example_compiles_as_cxx(index: int, standard: str) -> None:
    _compile(_examples()[index][1], standard)


@pytest.mark.parametrize("language", [*_STANDARDS, "c11"])
def test_error_without_a_failure_is_initialized(language: str) -> None:
    source = '#include "executorch/status.h"\nint main(void) {\n  et_error error = ET_ERROR_INIT;\n  return error.message[0];\n}\n'
    if language == "c11":
        command = [
            "gcc",
            "-std=c11",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-pedantic",
            "-Iruntime/include",
            "-fsyntax-only",
            "-xc",
            "-",
        ]
        assert subprocess.run(command, input=source, text=True, check=False).returncode == 0
    else:
        _compile(source, language, "-Wextra", "-Wmissing-field-initializers", "-pedantic")
