"""What traces go by."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Clock:
    """A caller-provided clock: the address of `uint64_t now(void *context)`, and its context."""

    function: int
    context: int | None = None
    owner: object = None  # kept alive
