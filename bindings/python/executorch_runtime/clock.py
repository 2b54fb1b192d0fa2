"""Clocks for traces."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Clock:
    """A caller-provided clock.

    `function` is the address of `uint64_t now(void *context)`.
    """

    function: int
    context: int | None = None
    owner: object = None  # keeps the function alive
