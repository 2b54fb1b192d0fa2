"""Check untyped options against types. Errors name unknown keys and wrong types."""

import difflib
import inspect
import types
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Union, get_args, get_origin, get_type_hints

from exir.error import ConfigError


def check_keys(options: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    """Raise `ConfigError` for a key of `options` that is not in `known`."""
    names = sorted(known)
    for key in options:
        if key not in names:
            raise ConfigError(f"{where}: unknown key '{key}'{_suggest_key(key, names)}")


def check_type(value: Any, expected: Any, where: str) -> None:
    """Raise `ConfigError` unless `value` has the annotated type `expected`."""
    if not _matches_type(value, expected):
        raise ConfigError(f"{where} must be {_type_name(expected)}, got {value!r}")


def check_call(function: Callable[..., Any], options: Mapping[str, Any], where: str) -> None:
    """Raise `ConfigError` unless `function(**given)` matches its annotated parameters."""
    parameters = inspect.signature(function).parameters
    check_keys(options, parameters, where)
    hints = _type_hints(function)
    for name, parameter in parameters.items():
        if name in options:
            check_type(options[name], hints.get(name, Any), f"{where}: '{name}'")
        elif parameter.default is parameter.empty:
            raise ConfigError(f"{where}: '{name}' is missing; set it")


def _type_hints(function: Callable[..., Any]) -> Mapping[str, Any]:
    target = function.__init__ if inspect.isclass(function) else function
    return get_type_hints(target)


def _suggest_key(key: str, names: list[str]) -> str:
    close = difflib.get_close_matches(key, names, 1)
    if close:
        return f"; did you mean '{close[0]}'?"
    return f"; valid keys: {', '.join(names)}" if names else " (there are none)"


def _matches_type(value: Any, expected: Any) -> bool:
    if expected is Any:
        return True
    origin = get_origin(expected)
    if origin in (Union, types.UnionType):
        return any(_matches_type(value, option) for option in get_args(expected))
    if origin in (list, tuple):
        return isinstance(value, list) and all(
            _matches_type(item, get_args(expected)[0]) for item in value
        )
    if isinstance(value, bool) and expected is not bool:
        return False
    if expected is float:
        return isinstance(value, (int, float))
    return value is None if expected in (None, types.NoneType) else isinstance(value, expected)


_NAMES = {bool: "true or false", int: "an integer", float: "a number", str: "a string"}


def _type_name(expected: Any) -> str:
    if get_origin(expected) in (Union, types.UnionType):
        options = [option for option in get_args(expected) if option is not types.NoneType]
        return " or ".join(_type_name(option) for option in options)
    if get_origin(expected) in (list, tuple):
        return f"a list, each element {_type_name(get_args(expected)[0])}"
    return _NAMES.get(expected, str(expected))
