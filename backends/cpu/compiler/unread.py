"""Dead code elimination."""

from backends.cpu.compiler.graph import OpGraph, Scratch, Value, storages_of


def drop_unread(graph: OpGraph) -> None:
    """Remove dead ops.

    After: each op writes a state, or a value that a later op or the caller reads.
    """
    needed: set[Value] = {result.value.storage for result in graph.results}
    kept = []
    for op in reversed(graph.ops):
        written = storages_of(op.outputs)
        if any(value in needed or not isinstance(value.place, Scratch) for value in written):
            kept.append(op)
            needed.update(storages_of(op.inputs))
    graph.ops = kept[::-1]
