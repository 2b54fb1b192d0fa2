"""How the compiler's command line names a backend.

`--backend=<module>:<attribute>` names either a `BackendEntry` or any callable (a `Partitioner`
subclass, a function) that gives a partitioner. There is no registry: a backend exists
for a compilation because its reference is given.
"""

from collections.abc import Callable
from dataclasses import dataclass

from exir.backend.partitioner import Partitioner


@dataclass(frozen=True)
class BackendEntry:
    """What a backend package exports for `--backend`.

    id: names the backend in configuration (`[backends.<id>]`) and in messages.
    partitioner: makes the partitioner, called with the options of that section as keyword
        arguments; its signature (names, annotations `bool`, `int`, `float`, `str` and
        lists of them, defaults) is what the section may hold. None when the backend delegates
        nothing.
    """

    id: str
    partitioner: Callable[..., Partitioner] | None = None
