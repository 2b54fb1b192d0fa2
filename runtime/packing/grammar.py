"""A grammar of symbol pairs that shortens texts, for compress.py."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

Pair = tuple[int, int]

_FIRST = 256  # first pair; characters are below
_LEAST = 3  # minimum occurrences of a pair, which itself takes two bytes


class Grammar:
    """Lines as sequences of symbols: characters, or pairs of earlier symbols."""

    def __init__(self, lines: Sequence[bytes], most: int) -> None:
        """Start with lines of characters, and allow at most `most` pairs."""
        self._plain = lines
        self._most = most
        self._next = _FIRST
        self._texts: dict[int, bytes] = {}  # the text of each pair
        self.pairs: dict[int, Pair] = {}
        self.lines: list[list[int]] = [list(line) for line in lines]

    def grow(self) -> None:
        """Add the most frequent pair repeatedly, until no pair saves space."""
        counts = _pair_counts(self.lines)
        while len(self.pairs) < self._most and counts:
            pair, count = max(counts.items(), key=lambda item: (item[1], item[0]))
            if count < _LEAST:
                return
            self._add(pair)
            counts = _pair_counts(self.lines)

    def _add(self, pair: Pair) -> None:
        symbol, self._next = self._next, self._next + 1
        self.pairs[symbol] = pair
        self._texts[symbol] = self._text(pair[0]) + self._text(pair[1])
        self.lines = [_replaced(line, pair, symbol) for line in self.lines]

    def _text(self, symbol: int) -> bytes:
        return bytes([symbol]) if symbol < _FIRST else self._texts[symbol]

    def prune(self, count: int) -> None:
        """Remove the `count` least used pairs, and the pairs that contain them."""
        uses = Counter(symbol for line in [*self.lines, *self.pairs.values()] for symbol in line)
        dropped = set(sorted(self.pairs, key=lambda symbol: (uses[symbol], symbol))[:count])
        for symbol, pair in list(self.pairs.items()):  # a pair precedes the pairs that contain it
            if symbol in dropped or dropped.intersection(pair):
                dropped.add(symbol)
                del self.pairs[symbol]
        self.parse()

    def parse(self) -> None:
        """Encode each line with the minimum number of symbols."""
        symbols = {self._texts[symbol]: symbol for symbol in self.pairs}
        beginnings = {text[:size] for text in symbols for size in range(2, len(text) + 1)}
        self.lines = [_parsed(line, symbols, beginnings) for line in self._plain]


def _pair_counts(lines: Sequence[Sequence[int]]) -> Counter[Pair]:
    """Count adjacent pairs. Overlapping occurrences of a pair count once."""
    counts: Counter[Pair] = Counter()
    for line in lines:
        last = None
        for pair in pairwise(line):
            last = None if pair == last else pair
            if last is not None:
                counts[pair] += 1
    return counts


def _replaced(line: list[int], pair: Pair, symbol: int) -> list[int]:
    made: list[int] = []
    at = 0
    while at < len(line):
        is_pair = tuple(line[at : at + 2]) == pair
        made.append(symbol if is_pair else line[at])
        at += 2 if is_pair else 1
    return made


def _parsed(line: bytes, symbols: dict[bytes, int], beginnings: set[bytes]) -> list[int]:
    """Encode a line with the fewest symbols, by dynamic programming from its end."""
    best: list[tuple[int, int, int]] = [(0, 0, 0)] * (
        len(line) + 1
    )  # symbol count to the end, first symbol, end of that symbol
    for at in reversed(range(len(line))):
        best[at] = (best[at + 1][0] + 1, line[at], at + 1)
        end = at + 2
        while end <= len(line) and (text := line[at:end]) in beginnings:
            if text in symbols and best[end][0] + 1 < best[at][0]:
                best[at] = (best[end][0] + 1, symbols[text], end)
            end += 1
    made = []
    at = 0
    while at < len(line):
        made.append(best[at][1])
        at = best[at][2]
    return made
