"""Memory planning.

Values are stored in results of the call if possible, otherwise in scratch.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from backends.cpu.compiler.graph import (
    Op,
    OpGraph,
    Output,
    Scratch,
    TensorLayout,
    Value,
    storages_of,
    tensors_of,
)
from backends.cpu.schema.copies import Permute
from backends.cpu.schema.kernel_sizes import ALIGNMENT
from exir.planning.liveness import Lifetime
from exir.planning.placement import Block, aligned, bound, live_at_each_step, placed


@dataclass(frozen=True)
class Plan:
    """Offsets of values in scratch, the size of scratch, and its lower bound.

    Sizes are in bytes.
    """

    offsets: dict[Value, int]
    size: int
    lower_bound: int


def write_results_in_place(graph: OpGraph) -> None:
    """Let ops write results directly into the tensors of the call.

    Results that are arguments, constants or duplicates are copied.
    """
    for index, result in enumerate(graph.results):
        storage = result.value.storage
        if not isinstance(storage.place, Scratch):
            graph.results[index] = _copied(graph, result)
            storage = graph.results[index].value
        storage.place = Output(index)


def _copied(graph: OpGraph, result: TensorLayout) -> TensorLayout:
    copy = Value(result.value.dtype, result.value.dims)
    keep = Permute(tuple(range(len(copy.dims))))
    graph.ops.append(Op(keep, (result.value,), (copy,)))
    return TensorLayout(copy, result.order)


def plan(graph: OpGraph) -> Plan:
    """Return offsets for all values in scratch."""
    blocks = list(_blocks(graph))
    placement = placed(blocks)
    return Plan(placement.offsets, placement.size, bound(blocks))


def live_bytes(graph: OpGraph) -> list[int]:
    """Return the bytes of scratch that are live at each op.

    Results of the call are not in scratch.
    """
    results = {result.value.storage for result in graph.results}
    return live_at_each_step([block for block in _blocks(graph) if block.key not in results])


def _blocks(graph: OpGraph) -> Iterator[Block[Value]]:
    sizes = _storage_bytes(graph)
    for value, lifetime in lifetimes(graph).items():
        if isinstance(value.place, Scratch):
            yield Block(value, aligned(sizes[value], ALIGNMENT), lifetime)


def _storage_bytes(graph: OpGraph) -> dict[Value, int]:
    """Return the maximum size in bytes of each storage that an op accesses.

    The maximum of a view can exceed that of its storage: `[n // 4, 4]` has up to 8 elements if n is
    at most 9.
    """
    sizes: dict[Value, int] = {}
    for op in graph.ops:
        for value in tensors_of(op):
            sizes[value.storage] = max(sizes.get(value.storage, 0), bytes_of(graph, value))
    return sizes


def lifetimes(graph: OpGraph) -> dict[Value, Lifetime]:
    """Return the indices of the first and the last op that access each storage."""
    first: dict[Value, int] = {}
    last: dict[Value, int] = {}
    for place, op in enumerate(graph.ops):
        for value in storages_of(tensors_of(op)):
            first.setdefault(value, place)
            last[value] = place
    return {value: Lifetime(start, last[value]) for value, start in first.items()}


def bytes_of(graph: OpGraph, value: Value) -> int:
    """Return the maximum size of `value` in bytes."""
    return graph.bounds.most(value.dims) * value.dtype.itemsize
