"""Offline dynamic storage allocation: offsets for blocks with known lifetimes.

Two blocks that are live at the same step must not overlap, and the total size should be minimal.
The problem is NP-hard. `placed` puts each block at the lowest offset that is free during its
lifetime ("greedy by size" and "greedy by breadth" in Pisarchyk and Lee, "Efficient Memory
Management for Deep Neural Net Inference", 2020). It tries several orders and keeps the best plan.
If the plan is larger than `bound`, a local search changes the order. The search budget does not
grow with the number of blocks.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from random import Random
from typing import Generic, TypeVar

from exir.planning.liveness import Lifetime
from exir.planning.occupancy import Occupancy

Key = TypeVar("Key", bound=Hashable)
# Limits of the local search: total placements of blocks, and the number of changes to an order. A
# search with fewer changes is not worthwhile, and is skipped.
_BUDGET = 30_000
_CHANGES = range(10, 401)
# With more blocks, only the first two orders are tried, because each takes seconds.
_MANY = 5_000
# The probability of accepting a change that enlarges the plan, to leave local minima.
_TOLERATED = 0.05


@dataclass(frozen=True)
class Block(Generic[Key]):
    """Bytes to place: their number, and the steps at which they are live."""

    key: Key
    size: int
    lifetime: Lifetime


@dataclass
class Placement(Generic[Key]):
    """The offsets of blocks by key, and the total size."""

    offsets: dict[Key, int] = field(default_factory=dict)
    size: int = 0


def aligned(nbytes: int, alignment: int) -> int:
    """Return `nbytes` rounded up to a multiple of `alignment`."""
    return -(-nbytes // alignment) * alignment


def placed(blocks: Sequence[Block[Key]]) -> Placement[Key]:
    """Place each block at the lowest free offset. Return the best of several orders."""
    least = bound(blocks)
    best = _best_of((_by_size, _by_breadth), blocks, least)
    if best.size > least and len(blocks) <= _MANY:
        best = min(
            best, _best_of((_by_area, _from_peak), blocks, least), key=lambda placement: placement.size
        )
    return best


def _best_of(
    orders: Sequence[Callable[[Sequence[Block[Key]]], list[Block[Key]]]],
    blocks: Sequence[Block[Key]],
    least: int,
) -> Placement[Key]:
    """Return the best placement of these orders, after a local search."""
    best, order = Placement[Key](), list(blocks)
    for arranged in (arrange(blocks) for arrange in orders):
        placement = _placed_in_order(arranged)
        if not best.offsets or placement.size < best.size:
            best, order = placement, arranged
        if best.size == least:
            break
    return _local_search(best, order, least)


def _local_search(best: Placement[Key], order: list[Block[Key]], least: int) -> Placement[Key]:
    """Improve a placement by a local search over orders.

    The search is deterministic: its random generator has a fixed seed.
    """
    draws, current = Random(0), best
    changes = min(_CHANGES[-1], _BUDGET // max(len(order), 1))
    for _ in range(changes if changes in _CHANGES else 0):
        if best.size == least:
            break
        changed = _with_top_earlier(current, order, draws)
        placement = _placed_in_order(changed)
        if placement.size <= current.size or draws.random() < _TOLERATED:
            current, order = placement, changed
        best = min(best, current, key=lambda placement: placement.size)
    return best


def _with_top_earlier(
    placement: Placement[Key], order: list[Block[Key]], draws: Random
) -> list[Block[Key]]:
    """Move a topmost block before one of the blocks that it overlaps in time."""
    ends = (placement.offsets[block.key] + block.size for block in order)
    place = next(index for index, end in enumerate(ends) if end == placement.size)
    top = order[place]
    below = [i for i in range(place) if order[i].lifetime.overlaps(top.lifetime)]
    to = draws.choice(below) if below else place
    return [*order[:to], top, *order[to:place], *order[place + 1 :]]


def side_by_side(blocks: Sequence[Block[Key]]) -> Placement[Key]:
    """Place the blocks one after another, in the given order, without sharing bytes."""
    placement: Placement[Key] = Placement()
    for block in blocks:
        placement.offsets[block.key] = placement.size
        placement.size += block.size
    return placement


def bound(blocks: Sequence[Block[Key]]) -> int:
    """Return the maximum of live bytes over steps, a lower bound of any placement."""
    return max(live_at_each_step(blocks), default=0)


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
    """Sort by size, then by lifetime, both descending."""
    return sorted(blocks, key=lambda block: (-block.size, -block.lifetime.steps))


def _by_breadth(blocks: Sequence[Block[Key]]) -> list[Block[Key]]:
    """Sort by peak live bytes in a block's lifetime, then by size, both descending."""
    live = RangeMaximum(live_at_each_step(blocks))
    widest = {block.key: live.of(block.lifetime.first, block.lifetime.last) for block in blocks}
    return sorted(blocks, key=lambda block: (-widest[block.key], -block.size))


def _by_area(blocks: Sequence[Block[Key]]) -> list[Block[Key]]:
    """Sort by size × steps, then by size, both descending."""
    return sorted(blocks, key=lambda block: (-block.size * block.lifetime.steps, -block.size))


def _from_peak(blocks: Sequence[Block[Key]]) -> list[Block[Key]]:
    """Sort by distance from the step with the most live bytes, longest-lived first."""
    live = live_at_each_step(blocks)
    peak = max(range(len(live)), key=live.__getitem__)

    def rank(block: Block[Key]) -> tuple[int, int, int]:
        away = max(block.lifetime.first - peak, peak - block.lifetime.last, 0)
        return away, -block.lifetime.steps, -block.size

    return sorted(blocks, key=rank)


def live_at_each_step(blocks: Sequence[Block[Key]]) -> list[int]:
    """Return the live bytes at each step."""
    change = [0] * (_step_count(blocks) + 1)
    for block in blocks:
        change[block.lifetime.first] += block.size
        change[block.lifetime.last + 1] -= block.size
    return list(accumulate(change))[:-1]


def _step_count(blocks: Sequence[Block[Key]]) -> int:
    return max((block.lifetime.last for block in blocks), default=-1) + 1


class RangeMaximum:
    """A sparse table: for each power of two, the maxima of all runs of that length."""

    def __init__(self, numbers: Sequence[int]) -> None:
        self._tables = [list(numbers)]
        width = 1
        while 2 * width <= len(numbers):
            last = self._tables[-1]
            self._tables.append([max(pair) for pair in zip(last, last[width:])])
            width *= 2

    def of(self, first: int, last: int) -> int:
        """Return the maximum from index `first` to index `last`, inclusive."""
        level = (last - first + 1).bit_length() - 1
        table = self._tables[level]
        return max(table[first], table[last + 1 - (1 << level)])
