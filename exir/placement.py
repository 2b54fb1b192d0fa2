"""Offline dynamic storage allocation: offsets for blocks of bytes with known lifetimes.

Two blocks that live at once must not overlap, in as few bytes as possible. It is NP-hard;
`placed` puts blocks one by one at the lowest offset that is free over their lifetime (offset
calculation, Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference",
2020), in several orders, and keeps the best. It is not always optimal; `bound` says how far from
it a plan can be at most.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Generic, TypeVar

from exir.liveness import Lifetime
from exir.occupancy import Occupancy
from exir.range_maximum import RangeMaximum

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class Block(Generic[Key]):
    """Bytes to place: how many, and the steps at which they are alive."""

    key: Key
    size: int
    lifetime: Lifetime


@dataclass
class Placement(Generic[Key]):
    """Offsets of blocks by their keys, and the bytes that they take together."""

    offsets: dict[Key, int] = field(default_factory=dict)
    size: int = 0


def aligned(nbytes: int, alignment: int) -> int:
    """`nbytes` rounded up to a multiple of `alignment`."""
    return -(-nbytes // alignment) * alignment


def placed(blocks: Sequence[Block[Key]]) -> Placement[Key]:
    """Each block at the lowest free offset; the best of several orders of placing them."""
    least = bound(blocks)
    best: Placement[Key] | None = None
    for ordered in (_by_size, _by_breadth):
        placement = _placed_in_order(ordered(blocks))
        best = placement if best is None or placement.size < best.size else best
        if best.size == least:
            break
    assert best is not None
    return best


def side_by_side(blocks: Sequence[Block[Key]]) -> Placement[Key]:
    """Each block in bytes of its own, in the order given."""
    placement: Placement[Key] = Placement()
    for block in blocks:
        placement.offsets[block.key] = placement.size
        placement.size += block.size
    return placement


def bound(blocks: Sequence[Block[Key]]) -> int:
    """The largest sum of bytes that live at one step: no placement can be smaller."""
    return max(_live_bytes(blocks), default=0)


def _placed_in_order(blocks: Sequence[Block[Key]]) -> Placement[Key]:
    occupancy = Occupancy(_step_count(blocks))
    placement: Placement[Key] = Placement()
    for block in blocks:
        start = occupancy.lowest_free(block.lifetime, block.size)
        end = start + block.size
        if block.size:
            occupancy.take(block.lifetime, start, end)
        placement.offsets[block.key] = start
        placement.size = max(placement.size, end)
    return placement


def _by_size(blocks: Sequence[Block[Key]]) -> list[Block[Key]]:
    """The largest first; then the longest lived."""
    return sorted(blocks, key=lambda block: (-block.size, -block.lifetime.steps))


def _by_breadth(blocks: Sequence[Block[Key]]) -> list[Block[Key]]:
    """Blocks of the step with the most live bytes first, then of the next; the largest first."""
    live = RangeMaximum(_live_bytes(blocks))
    widest = {block.key: live.of(block.lifetime.first, block.lifetime.last) for block in blocks}
    return sorted(blocks, key=lambda block: (-widest[block.key], -block.size))


def _live_bytes(blocks: Sequence[Block[Key]]) -> list[int]:
    """Bytes alive at each step."""
    change = [0] * (_step_count(blocks) + 1)
    for block in blocks:
        change[block.lifetime.first] += block.size
        change[block.lifetime.last + 1] -= block.size
    return list(accumulate(change))[:-1]


def _step_count(blocks: Sequence[Block[Key]]) -> int:
    return max((block.lifetime.last for block in blocks), default=-1) + 1
