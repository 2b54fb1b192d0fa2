"""Where values lie: in results of the call where they can, else in planned scratch."""

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
from exir.planning.liveness import Lifetime
from exir.planning.placement import Block, aligned, bound, live_at_each_step, placed

# Of values in scratch and of named data: the width of a cache line and of the widest vectors.
ALIGNMENT = 64


@dataclass(frozen=True)
class Plan:
    """Offsets of the values that lie in scratch, its bytes, and the least that they could be."""

    offsets: dict[Value, int]
    size: int
    lower_bound: int


def write_results_in_place(graph: OpGraph) -> None:
    """Let what computes a result write it into the tensor of the call; copy what cannot be so."""
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
    """Offsets for everything in scratch."""
    blocks = list(_blocks(graph))
    placement = placed(blocks)
    return Plan(placement.offsets, placement.size, bound(blocks))


def live_bytes(graph: OpGraph) -> list[int]:
    """Bytes of scratch alive at each op; results of the call have places of their own."""
    results = {result.value.storage for result in graph.results}
    return live_at_each_step([block for block in _blocks(graph) if block.key not in results])


def _blocks(graph: OpGraph) -> Iterator[Block[Value]]:
    for value, lifetime in lifetimes(graph).items():
        if isinstance(value.place, Scratch):
            yield Block(value, aligned(bytes_of(graph, value), ALIGNMENT), lifetime)


def lifetimes(graph: OpGraph) -> dict[Value, Lifetime]:
    """The first and last op that touches the bytes of each value that has some."""
    first: dict[Value, int] = {}
    last: dict[Value, int] = {}
    for place, op in enumerate(graph.ops):
        for value in storages_of(tensors_of(op)):
            first.setdefault(value, place)
            last[value] = place
    return {value: Lifetime(start, last[value]) for value, start in first.items()}


def bytes_of(graph: OpGraph, value: Value) -> int:
    """Bytes of a value at its largest."""
    return graph.bounds.most(value.dims) * value.dtype.itemsize
