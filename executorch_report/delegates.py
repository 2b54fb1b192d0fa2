"""What is inside delegates, where their backend says how to read it."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass

from executorch_report.facts import Delegate

# By backend: a function that makes of a payload the steps, each a name and the tensors that it works on; ValueError where it cannot.
# Looked up when a program has such a delegate: a backend that is not installed says nothing.
DESCRIBERS = {
    "CpuBackend": "backends.cpu.payload_steps:describe",
    "XnnpackBackend": "backends.xnnpack.payload_nodes:describe",
}

Describe = Callable[[bytes], list[tuple[str, list[str]]]]


@dataclass(frozen=True)
class Step:
    """A part of a delegate."""

    name: str
    tensors: tuple[str, ...]


def steps_of(delegate: Delegate) -> tuple[Step, ...]:
    """The steps of a delegate in their order; none where its payload is closed to us."""
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
