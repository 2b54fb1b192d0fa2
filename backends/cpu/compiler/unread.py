"""Steps whose results nobody needs."""

from backends.cpu.compiler.graph import Scratch, StepGraph, Value, storages_of


def drop_unread(graph: StepGraph) -> None:
    """After: each step writes a state, or what a later step or the caller reads."""
    needed: set[Value] = {result.value.storage for result in graph.results}
    kept = []
    for step in reversed(graph.steps):
        written = storages_of(step.outputs)
        if any(value in needed or not isinstance(value.place, Scratch) for value in written):
            kept.append(step)
            needed.update(storages_of(step.inputs))
    graph.steps = kept[::-1]
