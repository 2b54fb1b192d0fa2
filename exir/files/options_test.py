"""Tests that every option is used."""

import ast
import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest

from exir.capture import EdgeCompileConfig, ExecutorchBackendConfig
from exir.cli.arguments import Arguments
from exir.cli.compile import Pipeline
from exir.cli.config import CompilerConfig
from exir.model.spec import MethodSpec, ModelSpec
from exir.passes import MemoryPlanningPass
from exir.passes.propagate_constants import PropagateConstants

_EXIR = Path(__file__).parents[1]
_CLASSES = (
    *(EdgeCompileConfig, ExecutorchBackendConfig, MemoryPlanningPass, PropagateConstants),
    *(Arguments, CompilerConfig, Pipeline, ModelSpec, MethodSpec),
)


def _attribute_reads(tree: ast.AST, function: str = "") -> Iterator[str]:
    """Yield the attributes that are read, except in validation."""
    if isinstance(tree, ast.FunctionDef):
        function = tree.name
    if isinstance(tree, ast.Attribute) and isinstance(tree.ctx, ast.Load) and not _only_checks(function):
        yield tree.attr
    for child in ast.iter_child_nodes(tree):
        yield from _attribute_reads(child, function)


def _only_checks(function: str) -> bool:
    return function == "__post_init__" or function.startswith("_check")


@pytest.fixture(scope="module")
def read() -> frozenset[str]:
    sources = (path for path in _EXIR.rglob("*.py") if not path.name.endswith("_test.py"))
    return frozenset(
        name
        for path in sources
        for name in _attribute_reads(ast.parse(path.read_text(encoding="utf-8")))
    )


@pytest.mark.parametrize("options", _CLASSES, ids=lambda cls: cls.__name__)
def test_every_option_is_read(options: type, read: frozenset[str]) -> None:
    names = {field.name for field in dataclasses.fields(options)}
    assert names, "a class without options tests nothing"
    assert names <= read, f"nothing reads {sorted(names - read)}"


def test_option_that_is_only_validated_counts_as_unused() -> None:
    source = "def _check(self):\n    self.unread\ndef run(self):\n    return self.used\n"
    assert list(_attribute_reads(ast.parse(source))) == ["used"]
