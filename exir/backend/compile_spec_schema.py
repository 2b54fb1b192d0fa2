"""Options of a backend's compiler, which the `.pte` also stores."""

from dataclasses import dataclass


@dataclass(frozen=True)
class CompileSpec:
    """One option: `value` is opaque bytes that only the backend understands."""

    key: str
    value: bytes
