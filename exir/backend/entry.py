"""The backends of the compiler's command line.

`--backend=<module>:<attribute>` names a `BackendEntry`, or a callable (a `Partitioner` subclass, a
function) that returns a partitioner. A compilation can use only the backends on its command line;
it has no registry.
"""

from collections.abc import Callable
from dataclasses import dataclass

from exir.backend.partitioner import Partitioner


@dataclass(frozen=True)
class BackendEntry:
    """The entry of a backend for `--backend`.

    id: the backend's name in configs (`[backends.<id>]`) and messages.
    partitioner: function that returns the partitioner, called with the options of that section as
        keyword arguments. Its signature (names, annotations `bool`, `int`, `float`, `str` and lists
        of them, defaults) defines the options. None if the backend delegates nothing.
    """

    id: str
    partitioner: Callable[..., Partitioner] | None = None
