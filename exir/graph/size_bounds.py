"""Converts symbolic sizes to integers for memory planning."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

import sympy
import torch
from torch.utils._sympy.numbers import int_oo
from torch.utils._sympy.value_ranges import ValueRanges, bound_sympy

MAX_SIZE = 2**31 - 1
"""The largest size that a program file holds. Torch bounds sizes that it does not know by 2 ** 63."""

# Maps a size to an integer; None if it has no bound.
Bound: TypeAlias = Callable[[int | torch.SymInt], int | None]


def constraint_bound(ranges: Mapping[sympy.Symbol, ValueRanges]) -> Bound:
    """Return a function to the largest value of a size, for symbols in `ranges`.

    Both ends of a range are included.
    """
    known = dict(ranges)

    def bound(size: int | torch.SymInt) -> int | None:
        if not isinstance(size, torch.SymInt):
            return size
        upper = bound_sympy(size.node.expr, known).upper
        return None if upper in (int_oo, sympy.oo) else int(upper)

    return bound


def hint_bound(size: int | torch.SymInt) -> int | None:
    """Return the value of a size for the example inputs."""
    if not isinstance(size, torch.SymInt):
        return size
    return int(size.node.hint) if size.node.has_hint() else None
