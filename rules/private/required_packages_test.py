"""Tests that the rules and the compiler support the same releases of torch."""

import ast
from pathlib import Path

from exir import torch_versions


def _assigned_values() -> dict[str, object]:
    """Return the constants of required_packages.bzl, whose syntax is also Python's."""
    tree = ast.parse(Path("rules/private/required_packages.bzl").read_text(encoding="utf-8"))
    assignments = [node for node in tree.body if isinstance(node, ast.Assign)]
    return {ast.unparse(node.targets[0]): ast.literal_eval(node.value) for node in assignments}


def test_rules_and_compiler_support_the_same_releases() -> None:
    values = _assigned_values()
    assert (values["OLDEST_TORCH"], values["NEWEST_TORCH"]) == (torch_versions.OLDEST, torch_versions.NEWEST)
