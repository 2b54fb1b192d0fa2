"""Import modules with official names, as `names.toml` defines them."""

import importlib
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

from exir.python_versions import tomllib

PACKAGE = "executorch"
TABLE = Path(__file__).with_name("names.toml")
_ABSENT = Path(__file__).with_name("absent.toml")

# Module of this compiler → its names, as written in the table.
Sources = Mapping[str, str]


@cache
def table() -> Mapping[str, Sources]:
    """Return the sources of names by official module, relative to `executorch`."""
    return tomllib.loads(TABLE.read_text())


@cache
def packages() -> frozenset[str]:
    """Return the official modules that contain other modules."""
    parts = (module.split(".") for module in table())
    return frozenset(".".join(part[:end]) for part in parts for end in range(1, len(part)))


@cache
def _official_modules() -> frozenset[str]:
    """Return all official modules."""
    return packages() | table().keys()


@cache
def absent() -> Mapping[str, str]:
    """Return the reason for each official module that is not provided."""
    reasons = tomllib.loads(_ABSENT.read_text())["reason"]
    return {module: reason["why"] for reason in reasons for module in reason["modules"]}


def reject_other_package(own_path: Iterable[str]) -> None:
    """Raise ImportError if the path has another package with this name.

    A folder of links to this package's files is the same package.
    """
    own = {_real_start(folder) for folder in own_path}
    for entry in sys.path:
        spec = PathFinder.find_spec(PACKAGE, [entry or os.getcwd()])
        found = [] if spec is None else list(spec.submodule_search_locations or ())
        other = [folder for folder in found if _real_start(folder) not in own]
        if other:
            raise ImportError(
                f"two packages '{PACKAGE}' are on sys.path, that of rules_executorch in {os.path.dirname(min(own))} "
                f"and the official one in {other[0]}; remove one from the dependencies or from PYTHONPATH",
                name=PACKAGE,
            )


def _real_start(folder: str) -> str:
    """Return the resolved path of a package's `__init__.py`."""
    return os.path.realpath(os.path.join(folder, "__init__.py"))


def install() -> None:
    """Install the finder of official modules."""
    if not any(isinstance(finder, OfficialNames) for finder in sys.meta_path):
        sys.meta_path.insert(0, OfficialNames())


class OfficialNames(MetaPathFinder):
    """A finder of the official modules below `executorch`."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of an official module. Raise ImportError if it is not provided."""
        name = fullname.removeprefix(f"{PACKAGE}.")
        if name == fullname or name.startswith("_"):
            return None
        if name not in _official_modules():
            raise ModuleNotFoundError(_not_provided(fullname))
        return ModuleSpec(fullname, _TableLoader(), is_package=True)


class _TableLoader(Loader):
    """A loader of modules whose names are resolved at first use."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _OfficialModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Import sources without names, for their side effects.

        A name that is also a submodule's gets the table's value; otherwise, importing the submodule would
        replace it.
        """
        own = module.__name__.removeprefix(f"{PACKAGE}.")
        for source, names in table().get(own, {}).items():
            if not names:
                importlib.import_module(source)
        for name in _entries_of(own):
            if f"{own}.{name}" in table():
                importlib.import_module(f"{module.__name__}.{name}")
                setattr(module, name, getattr(_home_module(own, name), _entries_of(own)[name][1]))


class _OfficialModule(ModuleType):
    """A module of the table."""

    def __getattr__(self, name: str) -> Any:
        own = self.__name__.removeprefix(f"{PACKAGE}.")
        if f"{own}.{name}" in _official_modules():
            return importlib.import_module(f"{self.__name__}.{name}")
        if name.startswith("__") or (name not in _entries_of(own) and not _open_source(own, name)):
            raise AttributeError(_not_provided(f"{self.__name__}.{name}"), name=name, obj=self)
        value = getattr(_home_module(own, name), _entries_of(own).get(name, ("", name))[1])
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        own = self.__name__.removeprefix(f"{PACKAGE}.")
        return sorted({*super().__dir__(), *_entries_of(own)})


@cache
def _entries_of(module: str) -> Mapping[str, tuple[str, str]]:
    """Return (module of this compiler, name in it) by official name."""
    found = {}
    for source, names in table().get(module, {}).items():
        for entry in names.split():
            official, _, ours = entry.partition("=")
            found[official] = (source, ours or official)
    found.pop("*", None)
    return found


def _open_source(module: str, name: str) -> str | None:
    """Return the module that defines `name`, among the module's `*` sources."""
    for source, names in table().get(module, {}).items():
        if "*" in names.split() and hasattr(importlib.import_module(source), name):
            return source
    return None


def _home_module(module: str, name: str) -> ModuleType:
    entry = _entries_of(module).get(name)
    return importlib.import_module(entry[0] if entry else str(_open_source(module, name)))


def _not_provided(name: str) -> str:
    why = absent().get(name.removeprefix(f"{PACKAGE}."))
    other = "compat/executorch/names.toml lists the available names"
    return f"{name}: not provided by rules_executorch; {why or other}"
