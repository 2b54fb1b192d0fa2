"""Tests that the page of the Python API matches the sources."""

import ast
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).absolute().parents[2]
sys.path.insert(0, str(_ROOT / "tools/reference"))

from python_api import Sources, signature
from python_reference import page

_FILES = {
    "exir/__init__.py": '_HOME = {"lower": "exir.inner", "Tensor": "torch"}\n__all__ = sorted(_HOME)\n',
    "exir/inner/__init__.py": 'from exir.inner._lower import lower\n\n__all__ = ["lower"]\n',
    "exir/inner/_lower.py": "def lower(x): ...\ndef _helper(): ...\n",
    "exir/plain.py": "from os import path\nclass A: ...\nLimit = int | None\ndef b(): ...\ndef _c(): ...\n",
}


@pytest.fixture
def sources(tmp_path: Path) -> Sources:
    for name, text in _FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return Sources(tmp_path)


def test_python_reference_is_up_to_date() -> None:
    text = (_ROOT / "docs/reference/python_api.md").read_text(encoding="utf-8")
    assert text == page(_ROOT), "run python3 tools/reference/python_reference.py"


def test_every_exported_name_is_in_the_python_reference() -> None:
    text = page(_ROOT)
    names = Sources(_ROOT).public_names("exir")
    assert "to_edge_transform_and_lower" in names
    assert [name for name in names if f"\n### {name}\n" not in text] == []


def test_public_names_are_declared_or_without_underscore(sources: Sources) -> None:
    assert sources.public_names("exir") == ["Tensor", "lower"]
    assert sources.public_names("exir.inner") == ["lower"]
    assert sources.public_names("exir.plain") == ["A", "b"]


def test_names_resolve_to_their_definition(sources: Sources) -> None:
    found = sources.definition("exir", "lower")
    assert isinstance(found, ast.FunctionDef) and found.name == "lower"
    assert sources.definition("exir", "Tensor") == "torch.Tensor"
    assert sources.definition("exir.plain", "path") == "os.path"
    assert sources.definition("exir.plain", "Limit") == "int | None"
    with pytest.raises(LookupError, match="exir.plain exports 'missing', but does not define it"):
        sources.definition("exir.plain", "missing")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f(self, a: 'A', /, b='x', *, c: int = 2, **d) -> 'B': ...", "f(a: A, b = 'x', *, c: int = 2, **d) -> B"),
        ("def f(*a): ...", "f(*a)"),
        ("class C(Base): ...", "C(Base)"),
        ("class C:\n    name: ClassVar[str] = 'c'\n    a: int = 1", "C(a: int = 1)"),
        ("class C:\n    def __init__(self, a): ...", "C(a)"),
        ("class C: ...", "C()"),
    ],
)
def test_signatures_are_rendered(source: str, expected: str) -> None:
    assert signature(ast.parse(source).body[0]) == expected  # type: ignore[arg-type]


def test_long_signature_has_a_line_per_parameter() -> None:
    long = ", ".join(f"parameter_number_{index}: int" for index in range(9))
    lines = signature(ast.parse(f"def f({long}) -> int: ...").body[0]).splitlines()  # type: ignore[arg-type]
    assert (lines[0], lines[1], lines[-1], len(lines)) == ("f(", "    parameter_number_0: int,", ") -> int", 11)
