"""The text form of a sequence of passes: `remove_noops,propagate_constants{max_growth=4096}`.

It stands in configurations and cache keys; options at their defaults are left out.
"""

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from exir.error import ConfigError
from exir.pass_manager import ProgramPass

_PASS = re.compile(r"\s*(?P<name>\w+)\s*(?:\{(?P<options>[^{}]*)\})?\s*(?:,|$)")


def to_text(passes: Sequence[ProgramPass]) -> str:
    """The text form of `passes`."""
    return ",".join(_one(each) for each in passes)


def parse(text: str, known: Mapping[str, type[ProgramPass]]) -> tuple[ProgramPass, ...]:
    """The passes that `text` names, of the classes in `known`; raises `ConfigError`."""
    passes, position = [], 0
    while position < len(text):
        match = _PASS.match(text, position)
        if match is None:
            raise ConfigError(f"no list of passes: '{text[position:]}' in '{text}'")
        passes.append(_made(match["name"], match["options"] or "", known))
        position = match.end()
    return tuple(passes)


def _one(each: ProgramPass) -> str:
    options = [(field.name, getattr(each, field.name), field.default) for field in fields(each)]
    changed = [f"{name}={value!r}" for name, value, default in options if value != default]
    return f"{each.name}{{{';'.join(changed)}}}" if changed else each.name


def _made(name: str, options: str, known: Mapping[str, type[ProgramPass]]) -> ProgramPass:
    if name not in known:
        raise ConfigError(f"no pass is called '{name}'; there are {', '.join(sorted(known))}")
    try:
        return known[name](**_options(options))
    except (TypeError, ValueError, SyntaxError) as error:
        raise ConfigError(f"pass '{name}' does not take the options '{options}': {error}") from error


def _options(text: str) -> dict[str, Any]:
    pairs = [pair.partition("=") for pair in text.split(";") if pair.strip()]
    return {key.strip(): ast.literal_eval(value.strip()) for key, _, value in pairs}
