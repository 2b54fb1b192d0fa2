"""The program manager of each compiler stage, and the functions that create it."""

from importlib import import_module
from typing import Any

_HOME = {
    "EdgeProgramManager": "exir.program._edge",
    "ExecutorchProgramManager": "exir.program._executorch",
    "edge_passes": "exir.program._edge",
    "to_edge": "exir.program._edge",
    "to_edge_transform_and_lower": "exir.program._edge",
    "to_executorch": "exir.program._executorch",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'exir.program' has no attribute '{name}'")
    return getattr(import_module(_HOME[name]), name)
