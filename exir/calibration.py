"""Inputs of calls that are like those that a method will see."""

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

# All inputs of a method in its order, those by name after the others; or a function that gives them.
Calls = Iterable[tuple[Any, ...]] | Callable[[], Iterable[tuple[Any, ...]]]


def first_calls(calls: Calls, most: int | None = None) -> list[tuple[Any, ...]]:
    """The first `most` of `calls`, or all."""
    return list(islice(calls() if callable(calls) else calls, most))
