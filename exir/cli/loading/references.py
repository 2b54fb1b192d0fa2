"""Resolve `<module>:<attribute>` references to backends and passes."""

import difflib
from pathlib import Path
from typing import Any

from exir.backend.entry import BackendEntry
from exir.backend.partitioner import Partitioner
from exir.cli.config import CompilerConfig
from exir.cli.loading.load_model import import_user_module
from exir.error import ConfigError
from exir.files.options import check_call, check_keys
from exir.pass_manager import PassType


def make_partitioners(
    references: tuple[str, ...], config: CompilerConfig, roots: tuple[Path, ...]
) -> list[Partitioner]:
    """Create the partitioners of the named backends, in order, with their options."""
    entries = [_as_entry(resolve(reference, "--backend", roots), reference) for reference in references]
    check_keys(config.backends, [entry.id for entry in entries], f"{config.origin}: [backends]")
    partitioners = [_make_partitioner(entry, config) for entry in entries]
    return [partitioner for partitioner in partitioners if partitioner is not None]


def make_passes(
    references: list[str], config: CompilerConfig, roots: tuple[Path, ...]
) -> list[PassType]:
    """Return the named passes. A class is instantiated without arguments."""
    passes = []
    for reference in references:
        found = resolve(reference, f"{config.origin}: [passes]", roots)
        passes.append(found() if isinstance(found, type) else found)
    return passes


def resolve(reference: str, where: str, roots: tuple[Path, ...]) -> Any:
    """Return the object that `reference` names.

    where: the place of the reference, for messages.
    """
    module_name, colon, attribute = reference.partition(":")
    if not (module_name and colon and attribute):
        raise ConfigError(
            f"{where}: '{reference}' is not a reference; write it as '<module>:<attribute>'"
        )
    module = import_user_module(module_name, roots)
    if not hasattr(module, attribute):
        names = [name for name in vars(module) if not name.startswith("_")]
        close = difflib.get_close_matches(attribute, names, 1)
        hint = f"; did you mean '{close[0]}'?" if close else ""
        raise ConfigError(f"{where}: module '{module_name}' has no '{attribute}'{hint}")
    return getattr(module, attribute)


def _as_entry(found: Any, reference: str) -> BackendEntry:
    if isinstance(found, BackendEntry):
        return found
    if callable(found):
        return BackendEntry(found.__name__, found)
    raise ConfigError(
        f"--backend: '{reference}' is a {type(found).__name__}, not an exir.backend.entry.BackendEntry "
        "or a callable that returns a Partitioner"
    )


def _make_partitioner(entry: BackendEntry, config: CompilerConfig) -> Partitioner | None:
    options = config.backends.get(entry.id, {})
    where = f"{config.origin}: [backends.{entry.id}]"
    if entry.partitioner is None:
        check_keys(options, (), where)
        return None
    check_call(entry.partitioner, options, where)
    return _expect_partitioner(entry.partitioner(**options), entry)


def _expect_partitioner(partitioner: Any, entry: BackendEntry) -> Partitioner:
    if not isinstance(partitioner, Partitioner):
        raise ConfigError(
            f"backend '{entry.id}': the entry returned a {type(partitioner).__name__}, not a Partitioner; return one"
        )
    return partitioner
