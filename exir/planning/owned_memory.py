"""The owners of bytes in planned memory."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from operator import itemgetter

from exir.tensor import TensorSpec

_Range = tuple[int, int, TensorSpec]
_START, _END = itemgetter(0), itemgetter(1)


@dataclass
class OwnedMemory:
    """Sorted disjoint ranges (start, end, owner) of each planned buffer.

    An empty tensor owns no range, and `owns` is true for it.
    """

    ranges: dict[int, list[_Range]] = field(default_factory=dict)

    def copy(self) -> "OwnedMemory":
        """Return an independent copy."""
        return OwnedMemory({mem_id: list(ranges) for mem_id, ranges in self.ranges.items()})

    def claim(self, spec: TensorSpec) -> None:
        """Make `spec` the owner of its bytes.

        Every range that overlaps them loses its owner.
        """
        mem_id, start, end = place_of(spec)
        if start == end:
            return
        ranges = self.ranges.setdefault(mem_id, [])
        first = bisect_right(ranges, start, key=_END)
        last = bisect_left(ranges, end, key=_START)
        ranges[first:last] = [(start, end, spec)]

    def owns(self, spec: TensorSpec) -> bool:
        """Return whether `spec` still owns all of its bytes."""
        mem_id, start, end = place_of(spec)
        if start == end:
            return True
        ranges = self.ranges.get(mem_id, [])
        index = bisect_left(ranges, start, key=_START)
        return index < len(ranges) and ranges[index] == (start, end, spec)


def place_of(spec: TensorSpec) -> tuple[int, int, int]:
    """Return the buffer, start and end of a planned tensor."""
    assert spec.mem_id is not None and spec.mem_offset is not None
    return spec.mem_id, spec.mem_offset, spec.mem_offset + spec.nbytes()


def certain(outcomes: Iterable[OwnedMemory]) -> OwnedMemory:
    """Return the ranges that are owned in all `outcomes`, which must not be empty."""
    first, *others = outcomes
    result = first.copy()
    for other in others:
        for mem_id, ranges in result.ranges.items():
            known = set(other.ranges.get(mem_id, ()))
            result.ranges[mem_id] = [range_ for range_ in ranges if range_ in known]
    return result
