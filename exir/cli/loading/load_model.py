"""Import the user's module and call its entry point."""

import difflib
import importlib
import inspect
import os
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch import Tensor

from exir.cli.arguments import Arguments
from exir.cli.loading.import_roots import module_of_file
from exir.cli.loading.user_code import describe
from exir.cli.loading.weights import check_not_on_meta, load_weights, read_weights
from exir.cli.worker.environment import seed_everything
from exir.error import ModelError, WeightsError
from exir.model.spec import ModelSpec, as_model_spec
from exir.weights.weights_file import WeightsFile

_PROVIDED = (
    "; without such a build, call `exir.dialects.torchvision_operators.provide()` before importing"
    " torchvision (docs/how_to/python_packages.md)"
)

# The parameter of an entry point that builds its model from the weights file.
_WEIGHTS = "weights"


def load_model(arguments: Arguments) -> ModelSpec:
    """Return the model, created with the fixed seed, with its weights loaded.

    Raises `ModelError` or `WeightsError`.
    """
    path = arguments.weights
    if path is None:
        spec = _make_model(arguments, None)
        check_not_on_meta(spec.module)
        return spec
    file = read_weights(path, arguments.weights_metadata)
    spec = _make_model(arguments, file)
    load_weights(spec.module, _rename_weights(spec, file, arguments), path)
    return spec


def _make_model(arguments: Arguments, file: WeightsFile | None) -> ModelSpec:
    seed_everything()
    module = import_user_module(_module_name(arguments), arguments.import_roots)
    _check_file(module, arguments.module_file)
    entry_point = _find_entry_point(module, arguments.entry_point)
    entry_arguments = _entry_point_arguments(entry_point, arguments, file)
    seed_everything()
    returned = _call_user_code(
        lambda: entry_point(*entry_arguments, **arguments.entry_point_args),
        f"entry point '{arguments.entry_point}'",
        arguments,
    )
    try:
        return as_model_spec(returned, f"entry point '{arguments.entry_point}'")
    except ModelError as error:
        raise ModelError(f"{error}\n    {_entry_point_location(entry_point)}") from None


def _module_name(arguments: Arguments) -> str:
    roots, source = arguments.import_roots, arguments.module_file
    return arguments.module if source is None else module_of_file(source, roots, arguments.module)


def entry_point_line(arguments: Arguments) -> str:
    """Return the source line of the entry point of the loaded module."""
    module = sys.modules[_module_name(arguments)]
    return _entry_point_location(_find_entry_point(module, arguments.entry_point))


def import_user_module(name: str, roots: tuple[Path, ...]) -> ModuleType:
    """Import a user module. Exceptions that it raises become one `ModelError`."""
    try:
        return importlib.import_module(name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        if isinstance(error, ModuleNotFoundError) and error.name:
            raise ModelError(_not_found(name, error, roots)) from error
        raise ModelError(
            f"module '{name}' cannot be imported: {describe(error, roots)}{_unloaded_library(error)}"
        ) from error


def _unloaded_library(error: BaseException) -> str:
    """Return a hint for a missing operator of a package, or "".

    The usual cause is a package that was built for another version of torch.
    """
    missing = re.fullmatch(r"operator (\w+)::\w+ does not exist", str(error))
    if not missing:
        return ""
    provided = _PROVIDED if missing[1] == "torchvision" else ""
    return (
        f"\n    the library with the operators of '{missing[1]}' was not loaded; if it is in a "
        f"package, lock the package's build for torch {torch.__version__}{provided}"
    )


def _not_found(name: str, error: ModuleNotFoundError, roots: tuple[Path, ...]) -> str:
    if (name + ".").startswith(f"{error.name}."):
        places = ", ".join(str(root) for root in roots) or "no import root"
        return f"module '{name}' was not found; searched: {places}"
    return (
        f"module '{name}' cannot be imported: {describe(error, roots)}\n    add the library that "
        f"provides '{error.name}' to 'deps' of the model's py_library"
    )


def _check_file(module: ModuleType, expected: Path | None) -> None:
    if expected is None:
        return
    found = getattr(module, "__file__", None)
    if found is None or os.path.realpath(found) != os.path.realpath(expected):
        raise ModelError(
            f"module '{module.__name__}' is not the one from {expected}: the compiler or an earlier "
            "import root already has a module of this name; rename the file or its package"
        )


def _find_entry_point(module: ModuleType, name: str) -> Callable[[], Any]:
    if not hasattr(module, name):
        choices = _similar_names(module, name)
        raise ModelError(f"module '{module.__name__}' has no entry point '{name}'; {choices}")
    entry_point = getattr(module, name)
    if not callable(entry_point):
        kind = type(entry_point).__name__
        raise ModelError(
            f"'{name}' in module '{module.__name__}' is a {kind}, not a function; name a function that returns the model"
        )
    return entry_point


def _entry_point_arguments(
    entry_point: Callable[..., Any], arguments: Arguments, file: WeightsFile | None
) -> list[WeightsFile]:
    """Return the arguments: the weights file, if the entry point has a parameter."""
    name = arguments.entry_point
    _check_keywords(entry_point, arguments)
    needed = [key for key in _required_parameters(entry_point) if key not in arguments.entry_point_args]
    if needed[:1] != [_WEIGHTS]:
        _check_takes_nothing(entry_point, needed, name)
        return []
    _check_takes_nothing(entry_point, needed[1:], name)
    if file is None:
        raise ModelError(
            f"entry point '{name}' needs a weights file; set the attribute 'weights'\n    "
            f"{_entry_point_location(entry_point)}"
        )
    return [file]


def _check_keywords(entry_point: Callable[..., Any], arguments: Arguments) -> None:
    parameters = inspect.signature(entry_point).parameters
    known = [key for key in parameters if key != _WEIGHTS]
    for key in arguments.entry_point_args:
        if key not in known:
            raise ModelError(
                f"'entry_point_args' has '{key}', which is not a parameter of entry point '{arguments.entry_point}'; "
                f"its parameters: {', '.join(known) or 'none'}\n    {_entry_point_location(entry_point)}"
            )


def _similar_names(module: ModuleType, name: str) -> str:
    names = [
        key
        for key, value in vars(module).items()
        if callable(value)
        and not key.startswith("_")
        and getattr(value, "__module__", None) == module.__name__
    ]
    if not names:
        return "it defines no functions"
    close = difflib.get_close_matches(name, names, 1)
    hint = f"; did you mean '{close[0]}'?" if close else ""
    return f"its functions: {', '.join(sorted(names))}{hint}"


def _required_parameters(entry_point: Callable[..., Any]) -> list[str]:
    """Return the names of the parameters without a default."""
    parameters = inspect.signature(entry_point).parameters.values()
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [p.name for p in parameters if p.default is p.empty and p.kind not in variadic]


def _check_takes_nothing(entry_point: Callable[..., Any], needed: list[str], name: str) -> None:
    if needed:
        raise ModelError(
            f"entry point '{name}' has required parameters: {', '.join(needed)}; pass them in "
            f"'entry_point_args'; '{_WEIGHTS}', the weights file, is passed automatically\n    {_entry_point_location(entry_point)}"
        )


def _rename_weights(spec: ModelSpec, file: WeightsFile, arguments: Arguments) -> Mapping[str, Tensor]:
    """Return the tensors of the file, by their names in the module."""
    function = spec.map_weights
    if function is None:
        return file.tensors
    mapped = _call_user_code(lambda: function(file.tensors), "'map_weights'", arguments)
    if not isinstance(mapped, Mapping) or not all(
        isinstance(tensor, Tensor) for tensor in mapped.values()
    ):
        raise ModelError(
            f"'map_weights' must return a mapping from names to tensors\n    {_entry_point_location(function)}"
        )
    return mapped


def _call_user_code(run: Callable[[], Any], action: str, arguments: Arguments) -> Any:
    try:
        return run()
    except (KeyboardInterrupt, WeightsError):
        raise
    except BaseException as error:
        raise ModelError(
            f"{action} failed: {describe(error, arguments.import_roots)}{_suggest_remedy(error)}"
        ) from error


def _suggest_remedy(error: BaseException) -> str:
    if isinstance(error, FileNotFoundError):
        return "\n    list files that the model reads in 'data' of the model or of its py_library"
    return ""


def _entry_point_location(entry_point: Callable[..., Any]) -> str:
    from exir.debug.source import import_path

    code = getattr(inspect.unwrap(entry_point), "__code__", None)
    if code is None:
        return f"{entry_point!r}"
    return f"{import_path(code.co_filename)}:{code.co_firstlineno}: def {code.co_name}"
