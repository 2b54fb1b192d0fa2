"""Blocks of any key are placed without overlap; the bound is what lives at once."""

from exir.liveness import Lifetime
from exir.placement import Block, bound, placed, side_by_side

_BLOCKS = [
    Block("a", 64, Lifetime(0, 1)),
    Block("b", 32, Lifetime(1, 2)),
    Block("c", 64, Lifetime(2, 3)),
]


def test_blocks_that_do_not_live_at_once_share_bytes() -> None:
    placement = placed(_BLOCKS)
    assert placement.size == bound(_BLOCKS) == 96
    assert placement.offsets == {"a": 0, "b": 64, "c": 0}


def test_what_lies_on_top_is_placed_first_when_the_bound_is_not_reached() -> None:
    """Pictures that live for two steps leave a gap in the middle unless they lie at both ends."""
    sizes = {"a": (301, 0, 1), "space 0": (430, 0, 0), "b": (301, 1, 2), "space 1": (258, 1, 1)}
    sizes |= {"c": (100, 2, 3), "space 2": (387, 2, 2)}
    blocks = [Block(key, size, Lifetime(first, last)) for key, (size, first, last) in sizes.items()]
    assert placed(blocks).size == bound(blocks) == 860


def test_side_by_side_shares_nothing() -> None:
    assert side_by_side(_BLOCKS).offsets == {"a": 0, "b": 64, "c": 96}


def test_nothing_takes_no_bytes() -> None:
    assert placed([]).size == bound([]) == 0
