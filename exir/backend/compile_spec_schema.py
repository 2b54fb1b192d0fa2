"""Options that a backend's compiler is called with, and that travel in the `.pte`."""

from dataclasses import dataclass


@dataclass(frozen=True)
class CompileSpec:
    """One option: `value` is opaque bytes that only the backend understands."""

    key: str
    value: bytes
