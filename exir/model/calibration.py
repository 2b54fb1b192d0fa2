"""Representative inputs of a method, for calibration."""

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

# Tuples of inputs in the method's order, keyword inputs last, or a function that returns them.
Calls = Iterable[tuple[Any, ...]] | Callable[[], Iterable[tuple[Any, ...]]]


def first_calls(calls: Calls, most: int | None = None) -> list[tuple[Any, ...]]:
    """Return the first `most` of `calls`, or all of them."""
    return list(islice(calls() if callable(calls) else calls, most))
