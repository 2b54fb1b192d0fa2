"""Helpers for makers, which draw a step for an operand of a given shape."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from tests.random_networks.network import Step

Shape = tuple[int, ...]
Maker = Callable[[random.Random, Shape], Step | None]
Family = list[tuple[float, Maker]]
"""Makers of one kind with their weights."""


def one_of(calls: Sequence[str], ranks: Sequence[int] = (0, 1, 2, 3, 4, 5)) -> Maker:
    """Draw one of `calls` for operands of these ranks."""
    return lambda rng, shape: Step(rng.choice(calls)) if len(shape) in ranks else None


def layer(expression: str) -> Step:
    """Return a step that calls the module that `expression` creates."""
    return Step("{m}({0})", expression)


def divisor(rng: random.Random, size: int) -> int:
    """Draw a number of groups for `size` channels."""
    return rng.choice([each for each in (1, 2, 4, size) if each and size % each == 0])
