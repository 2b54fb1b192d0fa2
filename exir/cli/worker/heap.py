"""What the garbage collector looks at: not the modules, which live as long as the process.

Torch and what it imports are a million objects, and a collection looks at each.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

# Objects made between two collections; torch makes millions that die by reference count.
_COLLECT_EVERY = 200_000


@contextmanager
def kept() -> Iterator[None]:
    """What is made inside stays: there are no collections while it is made, and later ones pass over it."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.set_threshold(_COLLECT_EVERY)
        gc.enable()


def freeze_heap() -> None:
    """Before the first fork: keep the collector from touching, and so copying, shared pages."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_COLLECT_EVERY)
