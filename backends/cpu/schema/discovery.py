"""Finds the modules of a package, so that no list has to name them. Does not import torch."""

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType


def modules_of(package: str) -> list[ModuleType]:
    """Import all modules of `package` except tests. Return them in the order of their names."""
    names = sorted(each.name for each in iter_modules(import_module(package).__path__) if not each.ispkg)
    return [import_module(f"{package}.{name}") for name in names if not name.endswith("_test")]
