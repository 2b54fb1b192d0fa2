"""All declared ops, found in the modules of this package. Does not import torch."""

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from backends.cpu.schema import xnnpack
from backends.cpu.schema.declarations import OpSpec


def modules_of(package: str) -> list[ModuleType]:
    """Import all modules of `package` except tests.

    Return them sorted by name.
    """
    names = sorted(each.name for each in iter_modules(import_module(package).__path__) if not each.ispkg)
    return [import_module(f"{package}.{name}") for name in names if not name.endswith("_test")]


def _ops_in(module: ModuleType) -> Iterator[type[OpSpec]]:
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, OpSpec) and value.__module__ == module.__name__:
            yield value


def _payload_ops() -> Iterator[type[OpSpec]]:
    """Yield the classes that declare a code. Common bases of ops do not."""
    for module in modules_of("backends.cpu.schema"):
        yield from (op for op in _ops_in(module) if "code" in vars(op))


OPS: tuple[type[OpSpec], ...] = tuple(sorted(_payload_ops(), key=lambda op: op.code))
"""All ops of payloads, in the order of their codes."""

ALL_OPS: tuple[type[OpSpec], ...] = (*OPS, *_ops_in(xnnpack))
"""All ops, including those that only the XNNPACK backend builds."""

BY_CODE = {op.code: op for op in OPS}
BY_NAME = {op.op_name(): op for op in ALL_OPS}
