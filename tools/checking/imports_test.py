"""Tests of the import check: the table, private modules and relative imports."""

import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).absolute().parents[2]
sys.path.insert(0, str(_ROOT / "tools/checking"))

from imports import fault_of, faults, imports_of, read_table

_TABLE = """
| folder | subject | may use |
|---|---|---|
| `compiler/` | compiles | `data/` and the like; tests: `backends/demo` |
| `data/` | data | nothing |
| `backends/` | backends | `compiler`, `data` |
| `tests/` | tests | everything |
"""


def _faults(path: str, source: str) -> list[str]:
    table = read_table(_TABLE)
    found = ((statement.line, fault_of(statement, table)) for statement in imports_of(Path(path), source))
    return [f"{line}: {fault}" for line, fault in found if fault]


@pytest.mark.parametrize("folder", ["exir", "rules", "backends"])
def test_repository_imports_match_its_table(folder: str) -> None:
    assert list((_ROOT / folder).rglob("*.py")), "a folder without files tests nothing"
    assert [fault for fault in faults(_ROOT) if fault.startswith(f"{folder}/")] == []


def test_compiler_imports_only_the_schema() -> None:
    table = read_table((_ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"))
    assert table["exir"].files == {"exir", "schema"}
    assert "kernels" not in table["exir"].tests and "exir" in table["tests"].files


def test_folder_imports_are_limited_to_its_row() -> None:
    assert _faults("compiler/a.py", "import torch\nimport data.x\nfrom compiler.b import c\n") == []
    message = "compiler/ must not import backends/ (see the table in ARCHITECTURE.md)"
    assert _faults("compiler/a.py", "import os\ndef f():\n    from backends.demo import x\n") == [f"3: {message}"]
    assert _faults("tests/a.py", "import compiler\nimport backends.demo\n") == []


def test_unit_tests_may_import_additional_folders() -> None:
    assert _faults("compiler/a_test.py", "import backends.demo\nimport data\n") == []
    assert _faults("compiler/testing/a.py", "import backends.demo\n") == []
    assert _faults("compiler/a_test.py", "import tests.a\n") != []


@pytest.mark.parametrize(
    ("path", "source", "private_to"),
    [
        ("compiler/a.py", "from compiler.b._c import d", "compiler.b"),
        ("compiler/a.py", "import compiler.b._c", "compiler.b"),
        ("compiler/a.py", "from compiler.b import _c", "compiler.b"),
        ("compiler/b/a.py", "from compiler.b._c import d", ""),
        ("compiler/b/__init__.py", "from compiler.b._c import d", ""),
        ("compiler/b/e/a.py", "from compiler.b._c import d", ""),
        ("compiler/a.py", "from compiler.b import __version__", ""),
        ("compiler/a.py", "from torch._ops import OpOverload", ""),
        ("tests/a.py", "from exir._serialize import x", ""),
    ],
)
def test_private_modules_stay_in_their_package(path: str, source: str, private_to: str) -> None:
    found = _faults(path, source)
    assert len(found) == bool(private_to)
    assert all(fault.endswith(f"is private to {private_to}") for fault in found)


def test_official_names_are_public_and_their_private_members_are_not() -> None:
    table = read_table(_TABLE.replace("compiler", "exir"))
    found = [
        fault_of(statement, table)
        for statement in imports_of(Path("tests/a.py"), "import exir._serialize, exir._serialize._x")
    ]
    assert found == ["", "'exir._serialize._x' is private to exir._serialize"]


def test_relative_imports_are_reported() -> None:
    assert _faults("compiler/a.py", "from . import b") == [
        "1: is a relative import; import the module by its full name"
    ]
