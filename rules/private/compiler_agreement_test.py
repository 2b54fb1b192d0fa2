"""Tests that the rules and the compiler agree on options and torch releases."""

import ast
from pathlib import Path
from typing import Any

from exir import torch_versions
from exir.cli import config

_NAMES = {bool: "bool", int: "int", str: "string", list[str]: "list"}


def _starlark_constants(file: str) -> dict[str, Any]:
    """Return the constants of a .bzl file, whose syntax is also Python's."""
    tree = ast.parse((Path(__file__).parent / file).read_text(encoding="utf-8"))
    assignments = [node for node in tree.body if isinstance(node, ast.Assign)]
    return {ast.unparse(node.targets[0]): ast.literal_eval(node.value) for node in assignments}


def test_starlark_config_schema_matches_the_compiler() -> None:
    known = {name: {key: _NAMES[kind] for key, kind in keys.items()} for name, keys in config.SECTIONS.items()}
    assert _starlark_constants("config_options.bzl")["CONFIG_SECTIONS"] == known


def test_sections_with_arbitrary_keys_match_the_compiler() -> None:
    open_sections = _starlark_constants("config_options.bzl")["CONFIG_OPEN_SECTIONS"]
    assert open_sections == sorted([config._BACKENDS, config._SHAPES, config._TARGET])


def test_rules_and_compiler_support_the_same_releases() -> None:
    values = _starlark_constants("required_packages.bzl")
    assert (values["OLDEST_TORCH"], values["NEWEST_TORCH"]) == (torch_versions.OLDEST, torch_versions.NEWEST)
