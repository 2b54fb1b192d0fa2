"""A reference recognizer for tests: Earley's algorithm (1970) on expressions."""

from __future__ import annotations

from collections.abc import Mapping

from llm.grammar.expressions import Byte, Call, Choice, Concatenation, Expression

# A terminal, or the name of other symbols.
Symbol = Byte | str
# An item is a production, the position in it, and the number of bytes before it.
Item = tuple[str, tuple[Symbol, ...], int, int]


class Recognizer:
    """Recognizes texts of a grammar, and their beginnings."""

    def __init__(self, rules: Mapping[str, Expression], root: str) -> None:
        self._productions: dict[str, list[tuple[Symbol, ...]]] = {}
        for name, body in rules.items():
            self._productions[f"rule {name}"] = [(self._symbol(body),)]
        self._root = f"rule {root}"
        self._remove_endless()

    def _symbol(self, expression: Expression) -> Symbol:
        if isinstance(expression, Byte):
            return expression
        if isinstance(expression, Call):
            return f"rule {expression.rule}"
        if isinstance(expression, Concatenation):
            return self._new([tuple(self._symbol(part) for part in expression.parts)])
        if isinstance(expression, Choice):
            return self._new([(self._symbol(option),) for option in expression.options])
        part = self._symbol(expression.part)
        if expression.most is None:
            more = self._new([()])
            self._productions[more].append((part, more))
            return self._new([(*[part] * expression.least, more)])
        counts = range(expression.least, expression.most + 1)
        return self._new([(part,) * count for count in counts])

    def _new(self, productions: list[tuple[Symbol, ...]]) -> str:
        name = f"part {len(self._productions)}"
        self._productions[name] = productions
        return name

    def _remove_endless(self) -> None:
        """Remove the productions that match no finite text."""
        ends: set[str] = set()
        for _ in self._productions:
            ends |= {
                name for name, found in self._productions.items() if any(self._can_end(each, ends) for each in found)
            }
        self._productions = {
            name: [each for each in found if self._can_end(each, ends)] for name, found in self._productions.items()
        }

    @staticmethod
    def _can_end(production: tuple[Symbol, ...], ends: set[str]) -> bool:
        return all(not isinstance(symbol, str) or symbol in ends for symbol in production)

    def start(self) -> list[set[Item]]:
        """Return the item sets of the empty text."""
        sets: list[set[Item]] = [{(self._root, production, 0, 0) for production in self._productions[self._root]}]
        self._complete(sets)
        return sets

    def followed(self, sets: list[set[Item]], byte: int) -> list[set[Item]]:
        """Return the item sets after one more byte, the last one perhaps empty."""
        scanned: set[Item] = set()
        for name, production, at, origin in sets[-1]:
            symbol = production[at] if at < len(production) else ""
            if isinstance(symbol, Byte) and symbol.first <= byte <= symbol.last:
                scanned.add((name, production, at + 1, origin))
        longer = [*sets, scanned]
        self._complete(longer)
        return longer

    def _complete(self, sets: list[set[Item]]) -> None:
        """Add predicted and completed items until nothing changes."""
        items, here = sets[-1], len(sets) - 1
        count = -1
        while count < len(items):
            count = len(items)
            for name, production, at, origin in list(items):
                symbol = production[at] if at < len(production) else None
                if symbol is None:
                    waiting = [item for item in sets[origin] if item[2] < len(item[1]) and item[1][item[2]] == name]
                    items |= {(each, body, place + 1, start) for each, body, place, start in waiting}
                elif isinstance(symbol, str):
                    items |= {(symbol, each, 0, here) for each in self._productions[symbol]}

    def letter(self, sets: list[set[Item]]) -> str:
        """Return E if the text can end, C if it can continue, B for both, or nothing."""
        can_end = any(name == self._root and at == len(body) and not origin for name, body, at, origin in sets[-1])
        can_continue = any(at < len(body) and not isinstance(body[at], str) for _, body, at, _ in sets[-1])
        return {(True, False): "E", (False, True): "C", (True, True): "B", (False, False): ""}[can_end, can_continue]
