"""Modules under official names, made from the table of names."""

import importlib
import os
import sys
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

PACKAGE = "executorch"
TABLE = Path(__file__).with_name("names.toml")
_ABSENT = Path(__file__).with_name("absent.toml")

# Module of ours → its names, as the table spells them.
Sources = Mapping[str, str]


@cache
def table() -> Mapping[str, Sources]:
    """Official module, below `executorch` → where its names come from."""
    return tomllib.loads(TABLE.read_text())


@cache
def packages() -> frozenset[str]:
    """Official modules that hold others, and may have no names of their own."""
    parts = (module.split(".") for module in table())
    return frozenset(".".join(each[:end]) for each in parts for end in range(1, len(each)))


@cache
def _modules() -> frozenset[str]:
    """All official modules that there are."""
    return packages() | table().keys()


@cache
def absent() -> Mapping[str, str]:
    """Official module that means nothing here → why."""
    reasons = tomllib.loads(_ABSENT.read_text())["reason"]
    return {module: each["why"] for each in reasons for module in each["modules"]}


def refuse_other_package(own_path: Iterable[str]) -> None:
    """Raise `ImportError` when another folder on the path holds another package of this name.

    A folder of links to the files of this one holds this one.
    """
    own = {_real_start(folder) for folder in own_path}
    for entry in sys.path:
        spec = PathFinder.find_spec(PACKAGE, [entry or os.getcwd()])
        found = [] if spec is None else list(spec.submodule_search_locations or ())
        other = [folder for folder in found if _real_start(folder) not in own]
        if other:
            raise ImportError(
                f"there are two packages '{PACKAGE}' on sys.path: that of rules_executorch in {os.path.dirname(min(own))} and the"
                f" official one in {other[0]}; take one of them out, by its dependency or its folder in PYTHONPATH",
                name=PACKAGE,
            )


def _real_start(folder: str) -> str:
    """The file that a package in `folder` starts with, links resolved."""
    return os.path.realpath(os.path.join(folder, "__init__.py"))


def install() -> None:
    """Let `import` find the modules of the table, and say what it cannot find."""
    if not any(isinstance(finder, OfficialNames) for finder in sys.meta_path):
        sys.meta_path.insert(0, OfficialNames())


class OfficialNames(MetaPathFinder):
    """Finds the official modules below `executorch`."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module of that name; raises `ImportError` for an official name that has none here."""
        name = fullname.removeprefix(f"{PACKAGE}.")
        if name == fullname or name.startswith("_"):
            return None
        if name not in _modules():
            raise ModuleNotFoundError(_not_provided(fullname))
        return ModuleSpec(fullname, _TableLoader(), is_package=True)


class _TableLoader(Loader):
    """Makes a module whose names are looked up when they are first used."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _OfficialModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Names that are those of submodules, too, mean what the table says; sources without names are imported."""
        own = module.__name__.removeprefix(f"{PACKAGE}.")
        for source, names in table().get(own, {}).items():
            if not names:
                importlib.import_module(source)
        for name in _entries(own):
            if f"{own}.{name}" in table():
                importlib.import_module(f"{module.__name__}.{name}")
                setattr(module, name, getattr(_home(own, name), _entries(own)[name][1]))


class _OfficialModule(ModuleType):
    """A module of the table."""

    def __getattr__(self, name: str) -> Any:
        own = self.__name__.removeprefix(f"{PACKAGE}.")
        if f"{own}.{name}" in _modules():
            return importlib.import_module(f"{self.__name__}.{name}")
        if name.startswith("__") or (name not in _entries(own) and not _open_source(own, name)):
            raise AttributeError(_not_provided(f"{self.__name__}.{name}"), name=name, obj=self)
        value = getattr(_home(own, name), _entries(own).get(name, ("", name))[1])
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        own = self.__name__.removeprefix(f"{PACKAGE}.")
        return sorted({*super().__dir__(), *_entries(own)})


@cache
def _entries(module: str) -> Mapping[str, tuple[str, str]]:
    """Official name → (module of ours, name in it), of one official module."""
    found = {}
    for source, names in table().get(module, {}).items():
        for entry in names.split():
            official, _, ours = entry.partition("=")
            found[official] = (source, ours or official)
    found.pop("*", None)
    return found


def _open_source(module: str, name: str) -> str | None:
    """The module of ours that has `name`, of those whose every name is official."""
    for source, names in table().get(module, {}).items():
        if "*" in names.split() and hasattr(importlib.import_module(source), name):
            return source
    return None


def _home(module: str, name: str) -> ModuleType:
    entry = _entries(module).get(name)
    return importlib.import_module(entry[0] if entry else str(_open_source(module, name)))


def _not_provided(name: str) -> str:
    why = absent().get(name.removeprefix(f"{PACKAGE}."))
    other = "compat/executorch/names.toml lists what is, under official names"
    return f"{name}: not provided by rules_executorch; {why or other}"
