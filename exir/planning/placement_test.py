"""Tests that blocks do not overlap, and that the bound is the peak of live bytes."""

from random import Random

from exir.planning.liveness import Lifetime
from exir.planning.placement import Block, bound, placed, side_by_side

_BLOCKS = [
    Block("a", 64, Lifetime(0, 1)),
    Block("b", 32, Lifetime(1, 2)),
    Block("c", 64, Lifetime(2, 3)),
]


def test_blocks_with_disjoint_lifetimes_share_bytes() -> None:
    placement = placed(_BLOCKS)
    assert placement.size == bound(_BLOCKS) == 96
    assert placement.offsets == {"a": 0, "b": 64, "c": 0}


def test_topmost_block_is_placed_first_above_the_bound() -> None:
    """Images that live for two steps leave a gap unless they are placed at both ends."""
    sizes = {"a": (301, 0, 1), "space 0": (430, 0, 0), "b": (301, 1, 2), "space 1": (258, 1, 1)}
    sizes |= {"c": (100, 2, 3), "space 2": (387, 2, 2)}
    blocks = [Block(key, size, Lifetime(first, last)) for key, (size, first, last) in sizes.items()]
    assert placed(blocks).size == bound(blocks) == 860


def test_side_by_side_placement_shares_no_bytes() -> None:
    assert side_by_side(_BLOCKS).offsets == {"a": 0, "b": 64, "c": 96}


def test_empty_placement_has_no_bytes() -> None:
    assert placed([]).size == bound([]) == 0


def _random_blocks(count: int) -> list[Block[int]]:
    draws = Random(count)
    lasts = [min(count - 1, first + 1 + draws.randrange(12)) for first in range(count)]
    return [Block(i, 16 * draws.randrange(1, 300), Lifetime(i, last)) for i, last in enumerate(lasts)]


def test_reordering_approaches_the_bound_deterministically() -> None:
    blocks = _random_blocks(60)
    placement = placed(blocks)
    assert placement.size <= 1.03 * bound(blocks)
    assert placed(blocks) == placement
    for one in blocks:
        for other in blocks[: one.key]:
            starts = [placement.offsets[block.key] for block in (one, other)]
            is_apart = starts[0] + one.size <= starts[1] or starts[1] + other.size <= starts[0]
            assert is_apart or not one.lifetime.overlaps(other.lifetime)
