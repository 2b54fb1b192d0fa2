"""Tests that the arena finds the same offsets as an exhaustive search."""

import random
from typing import Any

import pytest

from exir.planning.liveness import Lifetime
from exir.planning.occupancy import ByteSet, Occupancy
from exir.planning.placement import RangeMaximum


def test_adjacent_ranges_merge() -> None:
    occupied = ByteSet()
    for start, end in ((0, 4), (8, 12), (20, 24), (4, 8)):
        occupied.add(start, end)
    assert [occupied.gap(0, 1), occupied.gap(3, 8), occupied.gap(3, 9), occupied.gap(24, 9)] == [
        12,
        12,
        24,
        24,
    ]


def test_occupied_ranges_are_idempotent() -> None:
    occupied = ByteSet()
    for start, end in ((0, 16), (4, 8), (0, 16), (12, 20)):
        occupied.add(start, end)
    assert occupied.gap(0, 1) == 20


@pytest.mark.parametrize("steps", [1, 2, 8, 9, 64, 65, 600])
def test_lowest_free_offset_matches_exhaustive_search(steps: int) -> None:
    choose = random.Random(steps)
    occupancy = Occupancy(steps)
    occupied: list[Any] = []
    for _ in range(60):
        first, size = choose.randrange(steps), choose.randint(1, 5)
        lifetime = Lifetime(first, choose.randrange(first, steps))
        start = occupancy.lowest_free(lifetime, size)
        alive = [(low, high) for low, high, other in occupied if other.overlaps(lifetime)]
        assert start == first_free(alive, size)
        occupancy.take(lifetime, start, start + size)
        occupied.append((start, start + size, lifetime))


def first_free(occupied: list[tuple[int, int]], size: int) -> int:
    start = 0
    while any(start < high and low < start + size for low, high in occupied):
        start += 1
    return start


def test_range_maximum_matches_exhaustive_search() -> None:
    for count in range(1, 18):
        numbers = [random.Random(count * 100 + index).randrange(50) for index in range(count)]
        largest = RangeMaximum(numbers)
        for first in range(count):
            for last in range(first, count):
                assert largest.of(first, last) == max(numbers[first : last + 1])
