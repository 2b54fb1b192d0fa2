"""Replacing steps of a graph while knowing who reads what."""

from collections import Counter
from collections.abc import Iterable, Iterator

from backends.cpu.compiler.graph import Constant, Step, StepGraph, Value


class Rewriter:
    """Edits the steps of `graph`; `finish` writes them back.

    A view counts as two readers of its base, so that a value of which there is a view is never taken
    for one that a single step reads.
    """

    def __init__(self, graph: StepGraph) -> None:
        self._graph = graph
        self._steps: list[Step | None] = list(graph.steps)
        self._place = {step: place for place, step in enumerate(graph.steps)}
        self._writer: dict[Value, Step] = {}
        self._readers: Counter[Value] = Counter(result.value for result in graph.results)
        for step in graph.steps:
            self._note(step, 1)
        for value in list(self._readers):
            self._note_bases(value)

    def steps(self) -> Iterator[Step]:
        """The steps as they are when the walk reaches them, in order."""
        for place in range(len(self._steps)):
            step = self._steps[place]
            if step is not None:
                yield step

    def writer(self, value: Value) -> Step | None:
        """The step that writes `value`; None for arguments, constants and views."""
        return self._writer.get(value)

    def sole_use(self, value: Value) -> bool:
        """Whether one step reads `value`, once, and nothing else needs it."""
        return self._readers[value] == 1

    def comes_after(self, first: Step, second: Value) -> bool:
        """Whether `first` runs after `second` is there."""
        writer = self._writer.get(second.storage)
        return writer is None or self._place[writer] < self._place[first]

    def replace(self, old: Step, new: Step) -> None:
        """`new` where `old` was."""
        place = self._place.pop(old)
        self._steps[place] = new
        self._place[new] = place
        self._note(old, -1)
        self._note(new, 1)

    def merge(self, first: Iterable[Step], last: Step, merged: Step) -> None:
        """`merged` where `last` was, and nothing where those of `first` were."""
        for step in first:
            self._steps[self._place.pop(step)] = None
            self._note(step, -1)
        self.replace(last, merged)

    def finish(self) -> None:
        """Write the steps back."""
        self._graph.steps = [step for step in self._steps if step is not None]

    def _note_bases(self, value: Value) -> None:
        while value.base is not None:
            value = value.base
            self._readers[value] += 2

    def _note(self, step: Step, count: int) -> None:
        for value in step.inputs:
            if not isinstance(value.storage.place, Constant):
                self._readers[value] += count
        for value in step.outputs:
            if count > 0:
                self._writer[value] = step
            elif self._writer.get(value) is step:
                del self._writer[value]
