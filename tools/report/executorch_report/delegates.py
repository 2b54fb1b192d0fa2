"""Describe the contents of delegates whose backend provides a describer."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass

from executorch_report.facts import Delegate

# Describers by backend id, as `module:function`. A describer converts a payload to steps, each with
# a name and its tensors, and raises ValueError if it cannot. It is imported only if a program has
# such a delegate. Delegates of a backend that is not installed are not described.
DESCRIBERS = {
    "CpuBackend": "backends.cpu.payload_ops:describe",
    "XnnpackBackend": "backends.xnnpack.payload_nodes:describe",
}

Describe = Callable[[bytes], list[tuple[str, list[str]]]]


@dataclass(frozen=True)
class Step:
    """An op of a delegate."""

    name: str
    tensors: tuple[str, ...]


def steps_of(delegate: Delegate) -> tuple[Step, ...]:
    """Return the steps of a delegate in execution order; empty without a describer."""
    describe = _describer(delegate.backend)
    if describe is None:
        return ()
    try:
        return tuple(Step(name, tuple(tensors)) for name, tensors in describe(delegate.payload))
    except ValueError as error:
        return (Step(str(error), ()),)


def _describer(backend: str) -> Describe | None:
    module, _, name = DESCRIBERS.get(backend, "").partition(":")
    try:
        found: Describe = getattr(importlib.import_module(module), name)
    except (ImportError, ValueError):
        return None
    return found
