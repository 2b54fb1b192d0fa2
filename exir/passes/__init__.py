"""The compiler's passes, one a file.

Names are resolved on first use: a pass may need modules that themselves need this package.
"""

from importlib import import_module
from typing import Any

_HOME = {
    "MemoryPlanningPass": "exir.passes.memory_planning_pass",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'exir.passes' has no attribute '{name}'")
    return getattr(import_module(_HOME[name]), name)
