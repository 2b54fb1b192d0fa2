"""Which bytes of an arena are taken at which steps.

A segment tree over the steps. A tensor is alive on a range of steps, which is the union of a
few nodes of the tree. `_whole` has, for each of these nodes, the bytes of tensors that are alive
at all of its steps; `_part`, for each of these nodes and those above them, the bytes of tensors
that are alive at any of its steps. Adjacent bytes become one range, so the sets stay short and
both operations near logarithmic.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import cycle

from exir.liveness import Lifetime

# The root is node 1, the children of node n are n << _BITS and those after it. Eight children: most
# tensors live for a few steps, for which a flat tree has less to keep.
_BITS = 3
_LAST_CHILD = (1 << _BITS) - 1


class ByteSet:
    """A set of bytes as disjoint ranges in order, no two of which touch."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []

    def add(self, start: int, end: int) -> None:
        """Put the bytes from `start` to `end`, which is not one of them, into the set."""
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
        """The lowest byte from `offset` on at which `size` bytes follow that are not in the set."""
        index = bisect_right(self._ends, offset)
        while index < len(self._starts) and self._starts[index] < offset + size:
            offset = self._ends[index]
            index += 1
        return offset


class Occupancy:
    """The bytes that are taken at each of `steps` steps, none at first."""

    def __init__(self, steps: int) -> None:
        levels = -(-max(steps - 1, 0).bit_length() // _BITS)
        self._leaves = 1 << levels * _BITS
        self._whole: defaultdict[int, ByteSet] = defaultdict(ByteSet)
        self._part: defaultdict[int, ByteSet] = defaultdict(ByteSet)

    def lowest_free(self, lifetime: Lifetime, size: int) -> int:
        """The lowest offset of `size` bytes that nobody has at any step of `lifetime`."""
        nodes = list(self._nodes(lifetime))
        touching = [self._part[node] for node in nodes if node in self._part]
        touching += [self._whole[node] for node in _above(nodes) if node in self._whole]
        return _common_gap(touching, size)

    def take(self, lifetime: Lifetime, start: int, end: int) -> None:
        """Take the bytes from `start` to `end` at every step of `lifetime`."""
        nodes = list(self._nodes(lifetime))
        for node in nodes:
            self._whole[node].add(start, end)
            self._part[node].add(start, end)
        for node in _above(nodes):
            self._part[node].add(start, end)

    def _nodes(self, lifetime: Lifetime) -> Iterator[int]:
        """The fewest nodes that make up `lifetime`."""
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
    """The lowest byte at which `size` bytes follow that are in none of `sets`."""
    offset, agreeing = 0, 0
    for taken in cycle(sets):
        start = taken.gap(offset, size)
        agreeing = agreeing + 1 if start == offset else 1
        offset = start
        if agreeing == len(sets):
            break
    return offset


def _above(nodes: list[int]) -> list[int]:
    """The nodes between `nodes` and the root, these not included, each once."""
    found: dict[int, None] = {}
    for node in nodes:
        node >>= _BITS
        while node and node not in found:
            found[node] = None
            node >>= _BITS
    return list(found)
