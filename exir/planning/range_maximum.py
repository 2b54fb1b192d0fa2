"""Range maximum queries in constant time."""

from collections.abc import Sequence


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
