"""Tests that the garbage collector skips frozen objects."""

import gc
import subprocess
import sys

from exir.cli.worker.heap import freeze_new_objects


def test_objects_of_a_compilation_are_not_collected() -> None:
    class Ring:
        def __init__(self) -> None:
            self.ring = self

    alive = gc.get_freeze_count()
    collections: list[str] = []
    gc.callbacks.append(lambda phase, _: collections.append(phase))
    try:
        with freeze_new_objects():
            rings = [Ring() for _ in range(10_000)]
            assert collections == []
        assert gc.isenabled()
        assert gc.get_freeze_count() >= alive + len(rings)
        ring = Ring()
        del ring
        assert gc.collect() > 0
    finally:
        gc.callbacks.pop()
        gc.unfreeze()


def test_imports_of_a_compilation_persist() -> None:
    """Run `main` like a build action; an invalid flag ends it after the imports."""
    script = "import gc, sys; from exir.cli.lower import main; main(['--nonsense']); print(gc.isenabled(), gc.get_freeze_count())"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    enabled, count = done.stdout.split()
    assert enabled == "True"
    assert int(count) > 300_000
