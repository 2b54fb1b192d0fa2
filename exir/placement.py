"""Offline dynamic storage allocation: offsets for blocks of bytes with known lifetimes.

Two blocks that live at once must not overlap, in as few bytes as possible. It is NP-hard;
`placed` puts blocks one by one at the lowest offset that is free over their lifetime (offset
calculation, Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference",
2020), in several orders, and keeps the best. Where that is above `bound`, below which none can be, it
changes the order step by step, within a budget that does not grow with the number of blocks.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from random import Random
from typing import Generic, TypeVar

from exir.liveness import Lifetime
from exir.occupancy import Occupancy
from exir.range_maximum import RangeMaximum

Key = TypeVar("Key", bound=Hashable)
# How many blocks are placed anew for a better plan, all orders together; and of how many orders. Fewer do not pay.
_BUDGET = 30_000
_CHANGES = range(10, 401)
# So many blocks at most are tried in all orders: where there are more, each takes seconds.
_MANY = 5_000
# How often a change is kept that makes a plan larger: there is none better beside some that are not the best.
_TOLERATED = 0.05


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
    best = _best_of((_by_size, _by_breadth), blocks, least)
    if best.size > least and len(blocks) <= _MANY:
        best = min(best, _best_of((_by_area, _from_peak), blocks, least), key=lambda each: each.size)
    return best


def _best_of(
    orders: Sequence[Callable[[Sequence[Block[Key]]], list[Block[Key]]]],
    blocks: Sequence[Block[Key]],
    least: int,
) -> Placement[Key]:
    """The best of these orders, and of changes of it."""
    best, order = Placement[Key](), list(blocks)
    for arranged in (arrange(blocks) for arrange in orders):
        placement = _placed_in_order(arranged)
        if not best.offsets or placement.size < best.size:
            best, order = placement, arranged
        if best.size == least:
            break
    return _improved(best, order, least)


def _improved(best: Placement[Key], order: list[Block[Key]], least: int) -> Placement[Key]:
    """The best of plans each of which comes from the one before by a change of its order.

    The same for the same blocks: what is drawn at random begins with the same seed.
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
        best = min(best, current, key=lambda each: each.size)
    return best


def _with_top_earlier(
    placement: Placement[Key], order: list[Block[Key]], draws: Random
) -> list[Block[Key]]:
    """The order with a block that reaches the end of the memory before one of those that it had to lie
    above."""
    ends = (placement.offsets[block.key] + block.size for block in order)
    place = next(index for index, end in enumerate(ends) if end == placement.size)
    top = order[place]
    below = [i for i in range(place) if order[i].lifetime.overlaps(top.lifetime)]
    to = draws.choice(below) if below else place
    return [*order[:to], top, *order[to:place], *order[place + 1 :]]


def side_by_side(blocks: Sequence[Block[Key]]) -> Placement[Key]:
    """Each block in bytes of its own, in the order given."""
    placement: Placement[Key] = Placement()
    for block in blocks:
        placement.offsets[block.key] = placement.size
        placement.size += block.size
    return placement


def bound(blocks: Sequence[Block[Key]]) -> int:
    """The largest sum of bytes that live at one step: no placement can be smaller."""
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
    """The largest first; then the longest lived."""
    return sorted(blocks, key=lambda block: (-block.size, -block.lifetime.steps))


def _by_breadth(blocks: Sequence[Block[Key]]) -> list[Block[Key]]:
    """Blocks of the step with the most live bytes first, then of the next; the largest first."""
    live = RangeMaximum(live_at_each_step(blocks))
    widest = {block.key: live.of(block.lifetime.first, block.lifetime.last) for block in blocks}
    return sorted(blocks, key=lambda block: (-widest[block.key], -block.size))


def _by_area(blocks: Sequence[Block[Key]]) -> list[Block[Key]]:
    """The largest product of bytes and steps first; then the largest."""
    return sorted(blocks, key=lambda block: (-block.size * block.lifetime.steps, -block.size))


def _from_peak(blocks: Sequence[Block[Key]]) -> list[Block[Key]]:
    """What lives at the step with the most live bytes first, then what lives ever farther from it; the longest lived first."""
    live = live_at_each_step(blocks)
    peak = max(range(len(live)), key=live.__getitem__)

    def rank(block: Block[Key]) -> tuple[int, int, int]:
        away = max(block.lifetime.first - peak, peak - block.lifetime.last, 0)
        return away, -block.lifetime.steps, -block.size

    return sorted(blocks, key=rank)


def live_at_each_step(blocks: Sequence[Block[Key]]) -> list[int]:
    """Bytes alive at each step, from the first to the last of any block."""
    change = [0] * (_step_count(blocks) + 1)
    for block in blocks:
        change[block.lifetime.first] += block.size
        change[block.lifetime.last + 1] -= block.size
    return list(accumulate(change))[:-1]


def _step_count(blocks: Sequence[Block[Key]]) -> int:
    return max((block.lifetime.last for block in blocks), default=-1) + 1
