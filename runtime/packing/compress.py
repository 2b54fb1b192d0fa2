"""Pack texts by byte pair encoding: a byte is a character or a pair of bytes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from runtime.packing.grammar import Grammar, Pair

_SYMBOLS = 256
_ROUNDS = 4  # attempts to find better pairs
_DROPPED = 12  # pairs that each attempt removes first


@dataclass(frozen=True)
class Packed:
    """Packed texts.

    A byte below len(alphabet) is the character at that index; character 0 ends a text. The bytes from
    len(alphabet) on are pairs. A pair contains only earlier pairs. `data` has the texts, concatenated.
    """

    alphabet: bytes
    pairs: tuple[Pair, ...]
    data: bytes

    @property
    def nbytes(self) -> int:
        return len(self.alphabet) + 2 * len(self.pairs) + len(self.data)

    def texts(self) -> list[bytes]:
        """Unpack the texts."""
        return b"".join(map(self._plain, self.data)).split(b"\0")[:-1]

    def _plain(self, symbol: int) -> bytes:
        if symbol < len(self.alphabet):
            return self.alphabet[symbol : symbol + 1]
        left, right = self.pairs[symbol - len(self.alphabet)]
        return self._plain(left) + self._plain(right)


def pack(texts: Iterable[bytes]) -> Packed:
    """Pack texts; the result is deterministic.

    Raises ValueError for a text with a NUL.
    """
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
    """Number the symbols as bytes: characters, then pairs in creation order."""
    numbers = {symbol: number for number, symbol in enumerate([*alphabet, *grammar.pairs])}
    return Packed(
        alphabet,
        tuple((numbers[left], numbers[right]) for left, right in grammar.pairs.values()),
        bytes(numbers[symbol] for line in grammar.lines for symbol in line),
    )
