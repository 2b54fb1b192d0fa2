"""The occupied bytes of an arena at each step.

This is a segment tree over the steps. The lifetime of a tensor is the union of a few tree nodes.
For each of these nodes, `_whole` has the bytes of tensors that are live at all of the node's steps.
For these nodes and their ancestors, `_part` has the bytes of tensors that are live at some of the
node's steps. Adjacent bytes are merged into one range. The sets stay small, so both operations take
nearly logarithmic time.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import cycle

from exir.planning.liveness import Lifetime

# The root is node 1, and the first child of node n is n << _BITS. Nodes have eight children,
# because most tensors live for a few steps, and a flat tree stores fewer nodes for these.
_BITS = 3
_LAST_CHILD = (1 << _BITS) - 1


class ByteSet:
    """A set of bytes as sorted, disjoint ranges that do not touch."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []

    def add(self, start: int, end: int) -> None:
        """Add the bytes in [start, end)."""
        starts, ends = self._starts, self._ends
        first = bisect_left(ends, start)
        last = bisect_right(starts, end, first)
        if first == last:
            starts.insert(first, start)
            ends.insert(first, end)
        elif start < starts[first] or end > ends[first]:
            starts[first:last] = [min(start, starts[first])]
            ends[first:last] = [max(end, ends[last - 1])]

    def gap(self, offset: int, size: int) -> int:
        """Return the lowest position from `offset` that is followed by `size` free bytes."""
        index = bisect_right(self._ends, offset)
        while index < len(self._starts) and self._starts[index] < offset + size:
            offset = self._ends[index]
            index += 1
        return offset


class Occupancy:
    """The occupied bytes at each of `steps` steps. Initially, all are free."""

    def __init__(self, steps: int) -> None:
        levels = -(-max(steps - 1, 0).bit_length() // _BITS)
        self._leaves = 1 << levels * _BITS
        self._whole: defaultdict[int, ByteSet] = defaultdict(ByteSet)
        self._part: defaultdict[int, ByteSet] = defaultdict(ByteSet)

    def lowest_free(self, lifetime: Lifetime, size: int) -> int:
        """Return the lowest offset with `size` free bytes at all steps of `lifetime`."""
        nodes = list(self._covering_nodes(lifetime))
        touching = [self._part[node] for node in nodes if node in self._part]
        touching += [self._whole[node] for node in _ancestor_nodes(nodes) if node in self._whole]
        return _common_gap(touching, size)

    def take(self, lifetime: Lifetime, start: int, end: int) -> None:
        """Occupy the bytes in [start, end) at every step of `lifetime`."""
        nodes = list(self._covering_nodes(lifetime))
        for node in nodes:
            self._whole[node].add(start, end)
            self._part[node].add(start, end)
        for node in _ancestor_nodes(nodes):
            self._part[node].add(start, end)

    def _covering_nodes(self, lifetime: Lifetime) -> Iterator[int]:
        """Yield the minimal set of nodes whose union is `lifetime`."""
        low, high = self._leaves + lifetime.first, self._leaves + lifetime.last + 1
        while low < high:
            while low & _LAST_CHILD and low < high:
                yield low
                low += 1
            while high & _LAST_CHILD and low < high:
                high -= 1
                yield high
            low >>= _BITS
            high >>= _BITS


def _common_gap(sets: Sequence[ByteSet], size: int) -> int:
    """Return the lowest position that is followed by `size` bytes free in all `sets`."""
    offset, agreeing = 0, 0
    for occupied in cycle(sets):
        start = occupied.gap(offset, size)
        agreeing = agreeing + 1 if start == offset else 1
        offset = start
        if agreeing == len(sets):
            break
    return offset


def _ancestor_nodes(nodes: list[int]) -> list[int]:
    """Return the ancestors of `nodes`, each once."""
    found: dict[int, None] = {}
    for node in nodes:
        node >>= _BITS
        while node and node not in found:
            found[node] = None
            node >>= _BITS
    return list(found)
