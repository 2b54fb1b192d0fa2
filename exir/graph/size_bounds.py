"""Symbolic sizes as numbers that memory can be planned for."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

import sympy
import torch
from torch.utils._sympy.numbers import int_oo
from torch.utils._sympy.value_ranges import ValueRanges, bound_sympy

MAX_SIZE = 2**31 - 1
"""The largest size that a program file holds. Torch bounds sizes that it does not know by 2 ** 63."""

# The number for a size; None when there is none.
Bound: TypeAlias = Callable[[int | torch.SymInt], int | None]


def constraint_bound(ranges: Mapping[sympy.Symbol, ValueRanges]) -> Bound:
    """The largest value that a size can take when its symbols stay in `ranges`, ends included."""
    known = dict(ranges)

    def bound(size: int | torch.SymInt) -> int | None:
        if not isinstance(size, torch.SymInt):
            return size
        upper = bound_sympy(size.node.expr, known).upper
        return None if upper in (int_oo, sympy.oo) else int(upper)

    return bound


def hint_bound(size: int | torch.SymInt) -> int | None:
    """The value of a size for the example inputs."""
    if not isinstance(size, torch.SymInt):
        return size
    return int(size.node.hint) if size.node.has_hint() else None
