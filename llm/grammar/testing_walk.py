"""Draw random texts of a compiled grammar, for tests."""

from __future__ import annotations

import random

from llm.grammar.tables import Grammar

# A stack of frames, the top first: a state, and a count if the state is a loop.
Stack = tuple[tuple[int, int], ...]


class Walker:
    """Follows the tables of a grammar as executorch/llm/grammar.h describes them."""

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar

    def _can_continue(self, state: int, count: int) -> bool:
        grammar = self._grammar
        is_exhausted = state < len(grammar.least) and 0 < grammar.most[state] <= count
        return not is_exhausted and grammar.edge_starts[state] < grammar.edge_starts[state + 1]

    def _ended(self, stack: Stack) -> set[Stack]:
        """Return the stack, and those that remain while rules end. () is the end."""
        grammar, found = self._grammar, set()
        while stack:
            state, count = stack[0]
            if self._can_continue(state, count):
                found.add(stack)
            if not (count >= grammar.least[state] if state < len(grammar.least) else grammar.can_end[state]):
                return found
            stack = stack[1:]
        return found | {()}

    def _frame(self, state: int, top: tuple[int, int]) -> tuple[int, int]:
        if state >= len(self._grammar.least):
            return state, 0
        return state, top[1] + 1 if top[0] == state else 1

    def _next(self, stack: Stack, edge: tuple[int, int, int, int, int]) -> set[Stack]:
        _, _, target, start, count = edge
        below = stack[1:]
        for state in self._grammar.pushed[start : start + count]:
            below = (self._frame(state, stack[0]), *below)
        return self._ended((self._frame(target, stack[0]), *below))

    def draw(self, random_source: random.Random, longest: int) -> bytes | None:
        """Return a random text, or None if it is longer than a limit."""
        grammar, text = self._grammar, bytearray()
        stacks = self._ended(((grammar.start, 0),))
        while len(text) < longest:
            alive = sorted(stack for stack in stacks if stack)
            if () in stacks and (not alive or random_source.random() < 0.3):
                return bytes(text)
            stack = random_source.choice(alive)
            starts = grammar.edge_starts[stack[0][0] : stack[0][0] + 2]
            edge = random_source.choice(grammar.edges[starts[0] : starts[1]])
            text.append(random_source.choice([edge[0], edge[1], random_source.randint(edge[0], edge[1])]))
            stacks = set().union(*(self._after(stack, text[-1]) for stack in alive))
        return None

    def _after(self, stack: Stack, byte: int) -> set[Stack]:
        starts = self._grammar.edge_starts[stack[0][0] : stack[0][0] + 2]
        edges = self._grammar.edges[starts[0] : starts[1]]
        return set().union(*(self._next(stack, edge) for edge in edges if edge[0] <= byte <= edge[1]))
