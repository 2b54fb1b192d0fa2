"""Replaces ops of a graph and tracks the readers and writers of values."""

from collections import Counter
from collections.abc import Iterable, Iterator

from backends.cpu.compiler.graph import Constant, Op, OpGraph, Value


class Rewriter:
    """Edits the ops of `graph`. `finish` writes them back.

    A view counts as two readers of its base. A value that has a view is therefore never treated as
    read by a single op.
    """

    def __init__(self, graph: OpGraph) -> None:
        self._graph = graph
        self._ops: list[Op | None] = list(graph.ops)
        self._place = {op: place for place, op in enumerate(graph.ops)}
        self._writer: dict[Value, Op] = {}
        self._readers: Counter[Value] = Counter(result.value for result in graph.results)
        for op in graph.ops:
            self._note(op, 1)
        for value in list(self._readers):
            self._note_bases(value)

    def ops(self) -> Iterator[Op]:
        """Yield the ops in order.

        Replacements of later ops are visible during the iteration.
        """
        for place in range(len(self._ops)):
            op = self._ops[place]
            if op is not None:
                yield op

    def writer(self, value: Value) -> Op | None:
        """Return the op that writes `value`, or None for arguments, constants and views."""
        return self._writer.get(value)

    def sole_use(self, value: Value) -> bool:
        """Return whether `value` is read exactly once and has no views."""
        return self._readers[value] == 1

    def comes_after(self, first: Op, second: Value) -> bool:
        """Return whether `first` runs after the op that writes `second`."""
        writer = self._writer.get(second.storage)
        return writer is None or self._place[writer] < self._place[first]

    def replace(self, old: Op, new: Op) -> None:
        """Replace `old` with `new`, at the same position."""
        place = self._place.pop(old)
        self._ops[place] = new
        self._place[new] = place
        self._note(old, -1)
        self._note(new, 1)

    def merge(self, first: Iterable[Op], last: Op, merged: Op) -> None:
        """Replace `last` with `merged`, and remove the ops `first`."""
        for op in first:
            self._ops[self._place.pop(op)] = None
            self._note(op, -1)
        self.replace(last, merged)

    def finish(self) -> None:
        """Store the ops in the graph."""
        self._graph.ops = [op for op in self._ops if op is not None]

    def _note_bases(self, value: Value) -> None:
        while value.base is not None:
            value = value.base
            self._readers[value] += 2

    def _note(self, op: Op, count: int) -> None:
        for value in op.inputs:
            if not isinstance(value.storage.place, Constant):
                self._readers[value] += count
        for value in op.outputs:
            if count > 0:
                self._writer[value] = op
            else:
                del self._writer[value]
