"""Who owns which bytes of planned memory."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from operator import itemgetter

from exir.tensor import TensorSpec

_Range = tuple[int, int, TensorSpec]
_START, _END = itemgetter(0), itemgetter(1)


@dataclass
class OwnedMemory:
    """For each planned buffer the ranges (start, end, owner), disjoint and in order.

    A tensor of no bytes owns nothing and lacks nothing.
    """

    ranges: dict[int, list[_Range]] = field(default_factory=dict)

    def copy(self) -> "OwnedMemory":
        """The same owners, to be changed on their own."""
        return OwnedMemory({mem_id: list(ranges) for mem_id, ranges in self.ranges.items()})

    def claim(self, spec: TensorSpec) -> None:
        """`spec` writes all of its bytes; who owned any of them loses its whole range."""
        mem_id, start, end = place_of(spec)
        if start == end:
            return
        ranges = self.ranges.setdefault(mem_id, [])
        first = bisect_right(ranges, start, key=_END)
        last = bisect_left(ranges, end, key=_START)
        ranges[first:last] = [(start, end, spec)]

    def owns(self, spec: TensorSpec) -> bool:
        """Whether the bytes of `spec` are still its own."""
        mem_id, start, end = place_of(spec)
        if start == end:
            return True
        ranges = self.ranges.get(mem_id, [])
        index = bisect_left(ranges, start, key=_START)
        return index < len(ranges) and ranges[index] == (start, end, spec)


def place_of(spec: TensorSpec) -> tuple[int, int, int]:
    """Planned buffer, first byte and byte after the last of a tensor that has its place."""
    assert spec.mem_id is not None and spec.mem_offset is not None
    return spec.mem_id, spec.mem_offset, spec.mem_offset + spec.nbytes()


def certain(outcomes: Iterable[OwnedMemory]) -> OwnedMemory:
    """What is owned whichever of `outcomes` is true; there is one at least."""
    first, *others = outcomes
    result = first.copy()
    for other in others:
        for mem_id, ranges in result.ranges.items():
            known = set(other.ranges.get(mem_id, ()))
            result.ranges[mem_id] = [each for each in ranges if each in known]
    return result
