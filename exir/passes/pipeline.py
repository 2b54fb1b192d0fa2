"""The text form of pipelines: `remove_noops,propagate_constants(max_growth=8192)`.

Configs and cache keys use it. Options with default values are omitted.
"""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from exir.error import ConfigError
from exir.pass_manager import BundlePass, ProgramPass

NamedPass = BundlePass | ProgramPass
Known = Mapping[str, type[NamedPass]]


def to_text(passes: Sequence[NamedPass]) -> str:
    """Return the text form of `passes`."""
    return ",".join(_pass_text(pass_) for pass_ in passes)


def parse(text: str, known: Known) -> tuple[NamedPass, ...]:
    """Parse the text form of a pipeline, with the passes in `known`.

    Raises `ConfigError`.
    """
    try:
        elements = ast.parse(f"[{text}]", mode="eval").body
    except SyntaxError as error:
        raise ConfigError(f"'{text}' is not a list of passes: {error.msg}") from error
    assert isinstance(elements, ast.List)
    return tuple(_parse_pass(item, known) for item in elements.elts)


def _pass_text(pass_: NamedPass) -> str:
    options = [(field.name, getattr(pass_, field.name), field.default) for field in fields(pass_)]
    changed = [f"{name}={value!r}" for name, value, default in options if value != default]
    return f"{pass_.name}({','.join(changed)})" if changed else pass_.name


def _parse_pass(item: ast.expr, known: Known) -> NamedPass:
    called = item.func if isinstance(item, ast.Call) else item
    if not isinstance(called, ast.Name):
        raise ConfigError(f"'{ast.unparse(item)}' is not a pass; write a name, or name(option=value)")
    if called.id not in known:
        raise ConfigError(f"unknown pass '{called.id}'; passes: {', '.join(sorted(known))}")
    try:
        return known[called.id](**_parse_options(item))
    except (TypeError, ValueError) as error:
        raise ConfigError(f"pass '{called.id}': {error}, in '{ast.unparse(item)}'") from error


def _parse_options(item: ast.expr) -> dict[str, Any]:
    if not isinstance(item, ast.Call):
        return {}
    if item.args:
        raise TypeError("options must be passed by name")
    return {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in item.keywords}
