"""Tests that BUILD files and TOML files accept the same compiler options."""

from pathlib import Path
from typing import Any

from exir.cli import config

_NAMES = {bool: "bool", int: "int", str: "string", list[str]: "list"}


def _starlark_value(name: str) -> Any:
    names: dict[str, Any] = {}
    exec((Path(__file__).parent / "config_options.bzl").read_text(encoding="utf-8"), names)
    return names[name]


def test_starlark_config_schema_matches_the_compiler() -> None:
    known = {name: {key: _NAMES[kind] for key, kind in keys.items()} for name, keys in config.SECTIONS.items()}
    assert _starlark_value("CONFIG_SECTIONS") == known


def test_sections_with_arbitrary_keys_match_the_compiler() -> None:
    assert _starlark_value("CONFIG_OPEN_SECTIONS") == sorted([config._BACKENDS, config._SHAPES, config._TARGET])
