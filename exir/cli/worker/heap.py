"""Exclude long-lived objects from garbage collection.

Torch and its imports create a million objects, and a collection visits each one.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

# Allocations between two collections. Torch makes millions of objects that reference counting
# frees.
_COLLECT_EVERY = 200_000


@contextmanager
def freeze_new_objects() -> Iterator[None]:
    """Exclude objects that are created in this context from later collections.

    The garbage collector is disabled in the context.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.set_threshold(_COLLECT_EVERY)
        gc.enable()


def freeze_heap() -> None:
    """Exclude current objects from collection, so that forks do not copy their pages."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_COLLECT_EVERY)
