"""What traces go by."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Clock:
    """A clock of the caller's: the address of a C function `uint64_t now(void *context)`, and what it is given."""

    function: int
    context: int | None = None
    owner: object = None  # kept alive
