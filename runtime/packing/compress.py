"""Texts as bytes that stand for characters or for pairs of such bytes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from runtime.packing.grammar import Grammar, Pair

_SYMBOLS = 256
_ROUNDS = 4  # of looking for better pairs
_DROPPED = 12  # pairs that a round gives up first


@dataclass(frozen=True)
class Packed:
    """A byte below len(alphabet) is a character there, of which the first ends a text; others are pairs, in their order.

    A pair has no later one in it. `data` has the texts one behind the other.
    """

    alphabet: bytes
    pairs: tuple[Pair, ...]
    data: bytes

    @property
    def nbytes(self) -> int:
        return len(self.alphabet) + 2 * len(self.pairs) + len(self.data)

    def texts(self) -> list[bytes]:
        """What was packed."""
        return b"".join(map(self._plain, self.data)).split(b"\0")[:-1]

    def _plain(self, symbol: int) -> bytes:
        if symbol < len(self.alphabet):
            return self.alphabet[symbol : symbol + 1]
        left, right = self.pairs[symbol - len(self.alphabet)]
        return self._plain(left) + self._plain(right)


def pack(texts: Iterable[bytes]) -> Packed:
    """The same for the same texts. ValueError for a text with a NUL."""
    lines = [text + b"\0" for text in texts]
    if any(line.index(0) != len(line) - 1 for line in lines):
        raise ValueError("a text has a NUL inside")
    alphabet = bytes(sorted({0}.union(*lines)))
    grammar = Grammar(lines, _SYMBOLS - len(alphabet))
    grammar.grow()
    best = _packed(grammar, alphabet)
    for _ in range(_ROUNDS):
        grammar.prune(_DROPPED)
        grammar.grow()
        grammar.parse()
        best = min(best, _packed(grammar, alphabet), key=lambda packed: packed.nbytes)
    return best


def _packed(grammar: Grammar, alphabet: bytes) -> Packed:
    """Symbols numbered as bytes: characters, then pairs in the order in which they were found."""
    numbers = {symbol: number for number, symbol in enumerate([*alphabet, *grammar.pairs])}
    return Packed(
        alphabet,
        tuple((numbers[left], numbers[right]) for left, right in grammar.pairs.values()),
        bytes(numbers[symbol] for line in grammar.lines for symbol in line),
    )
