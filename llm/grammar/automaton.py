"""Minimal deterministic automata of rules, over bytes and calls of rules.

Such automata form a recursive transition network (Woods, 1970). Small rules are inlined, so that
calls remain only for recursion, for counted repetitions, and for large rules that several rules
share. A rule that matches the empty text is optional where it is called. Its automaton therefore
does not have to match the empty text, except that of the root.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from llm.grammar.expressions import Byte, Choice, Concatenation, Expression, GrammarError, Repetition
from llm.grammar.rules import PreparedRules

_MOST_NFA_STATES = 300_000
_MOST_STATES = 60_000


@dataclass
class State:
    """A state of a rule's automaton.

    bytes: (first byte, last byte, next state), sorted and disjoint.
    calls: the next state by called rule.
    """

    is_final: bool
    bytes: list[tuple[int, int, int]] = field(default_factory=list)
    calls: dict[str, int] = field(default_factory=dict)

    @property
    def only_ends(self) -> bool:
        """Whether nothing follows in the rule."""
        return self.is_final and not self.bytes and not self.calls


def build_automata(rules: PreparedRules) -> dict[str, list[State]]:
    """Return the states of each called rule that is not a loop.

    The first state is the start. Raises `GrammarError` if there are too many.
    """
    found = {name: _build_automaton(rules, name) for name in rules.called if name not in rules.loops}
    count = sum(len(states) for states in found.values())
    if count > _MOST_STATES:
        raise GrammarError(f"the grammar has {count} states, more than {_MOST_STATES}; reduce it")
    return found


def _build_automaton(rules: PreparedRules, name: str) -> list[State]:
    nfa = _Nfa(rules)
    start, end = nfa.new_state(), nfa.new_state()
    nfa.add(rules.expressions[name], start, end)
    return _minimized(_determinized(nfa, start, end, name))


class _Nfa:
    """A nondeterministic automaton (Thompson, 1968)."""

    def __init__(self, rules: PreparedRules) -> None:
        self._rules = rules
        self.empty: list[list[int]] = []
        self.bytes: list[list[tuple[int, int, int]]] = []
        self.calls: list[list[tuple[str, int]]] = []

    def new_state(self) -> int:
        if len(self.empty) == _MOST_NFA_STATES:
            raise GrammarError(f"a rule has more than {_MOST_NFA_STATES} parts; divide it, or repeat less")
        self.empty.append([])
        self.bytes.append([])
        self.calls.append([])
        return len(self.empty) - 1

    def add(self, expression: Expression, start: int, end: int) -> None:
        """Add an expression between two states."""
        if isinstance(expression, Byte):
            self.bytes[start].append((expression.first, expression.last, end))
        elif isinstance(expression, Concatenation):
            self._add_all(expression.parts, start, end)
        elif isinstance(expression, Choice):
            for option in expression.options:
                self.add(option, start, end)
        elif isinstance(expression, Repetition):
            self._add_repetition(expression, start, end)
        elif expression.rule in self._rules.inlined:
            # States of its own, because a loop at `start` or `end` must not extend the rule.
            inner = self._chain(start)
            self.add(self._rules.expressions[expression.rule], inner, end)
        else:
            self.calls[start].append((expression.rule, end))
            if expression.rule in self._rules.nullable:
                self.empty[start].append(end)

    def _chain(self, start: int) -> int:
        """Return a new state that follows a state without input."""
        state = self.new_state()
        self.empty[start].append(state)
        return state

    def _add_all(self, parts: Sequence[Expression], start: int, end: int) -> None:
        for part in parts[:-1]:
            inner = self.new_state()
            self.add(part, start, inner)
            start = inner
        if parts:
            self.add(parts[-1], start, end)
        else:
            self.empty[start].append(end)

    def _add_repetition(self, repetition: Repetition, start: int, end: int) -> None:
        for _ in range(repetition.least):
            inner = self.new_state()
            self.add(repetition.part, start, inner)
            start = inner
        if repetition.most is None:
            start = self._chain(start)
            inner = self.new_state()
            self.add(repetition.part, start, inner)
            self.empty[inner].append(start)
        else:
            for _ in range(repetition.most - repetition.least):
                self.empty[start].append(end)
                inner = self.new_state()
                self.add(repetition.part, start, inner)
                start = inner
        self.empty[start].append(end)

    def closure(self, states: Iterable[int]) -> frozenset[int]:
        """Return states and all states that follow without input."""
        found = set(states)
        waiting = list(found)
        while waiting:
            new = [state for state in self.empty[waiting.pop()] if state not in found]
            found.update(new)
            waiting.extend(new)
        return frozenset(found)


def _determinized(nfa: _Nfa, start: int, end: int, name: str) -> list[State]:
    """Return the deterministic automaton (Rabin and Scott, 1959)."""
    first = nfa.closure([start])
    numbers = {first: 0}
    sets = [first]
    found: list[State] = []

    def number(targets: Iterable[int]) -> int:
        closed = nfa.closure(targets)
        if closed not in numbers:
            if len(sets) == _MOST_STATES:
                raise GrammarError(f"the rule {name!r} needs more than {_MOST_STATES} states; reduce its repetitions")
            numbers[closed] = len(sets)
            sets.append(closed)
        return numbers[closed]

    for members in sets:
        edges = [edge for state in sorted(members) for edge in nfa.bytes[state]]
        targets: dict[str, list[int]] = {}
        for state in sorted(members):
            for rule, target in nfa.calls[state]:
                targets.setdefault(rule, []).append(target)
        found.append(
            State(
                end in members,
                _merged((low, high, number(reached)) for low, high, reached in _disjoint(edges)),
                {rule: number(reached) for rule, reached in targets.items()},
            )
        )
    return found


def _disjoint(edges: Sequence[tuple[int, int, int]]) -> Iterator[tuple[int, int, list[int]]]:
    """Divide byte ranges where one of them starts or ends."""
    starts = sorted({low for low, _, _ in edges} | {high + 1 for _, high, _ in edges})
    for low, after in itertools.pairwise(starts):
        reached = [target for first, last, target in edges if first <= low <= last]
        if reached:
            yield low, after - 1, reached


def _merged(edges: Iterable[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Join adjacent byte ranges with the same next state."""
    found: list[tuple[int, int, int]] = []
    for low, high, target in edges:
        if found and found[-1][1] + 1 == low and found[-1][2] == target:
            found[-1] = (found[-1][0], high, target)
        else:
            found.append((low, high, target))
    return found


def _minimized(states: list[State]) -> list[State]:
    """Return the automaton without equivalent states (Hopcroft, 1971)."""
    blocks = [
        block
        for block in ({i for i, state in enumerate(states) if state.is_final is final} for final in (True, False))
        if block
    ]
    block_of = {state: number for number, block in enumerate(blocks) for state in block}
    sources = _sources(states)
    waiting = set(range(len(blocks)))
    while waiting:
        splitters: dict[object, list[int]] = {}
        for target in sorted(blocks[waiting.pop()]):
            for symbol, source in sources[target]:
                splitters.setdefault(symbol, []).append(source)
        for members in splitters.values():
            touched: dict[int, set[int]] = {}
            for source in members:
                touched.setdefault(block_of[source], set()).add(source)
            for number, inside in touched.items():
                outside = blocks[number] - inside
                if not outside:
                    continue
                # A block that waits must wait with both parts; otherwise the smaller one is enough.
                small, large = (inside, outside) if len(inside) <= len(outside) else (outside, inside)
                blocks[number] = large
                blocks.append(small)
                block_of.update(dict.fromkeys(small, len(blocks) - 1))
                waiting.add(len(blocks) - 1)
    return _quotient(states, block_of)


def _sources(states: Sequence[State]) -> list[list[tuple[object, int]]]:
    """Return the edges into each state, as pairs of a symbol and a state.

    A symbol is a called rule, or a range of bytes that no edge divides.
    """
    starts = {edge for state in states for low, high, _ in state.bytes for edge in (low, high + 1)}
    found: list[list[tuple[object, int]]] = [[] for _ in states]
    for source, state in enumerate(states):
        for low, high, target in state.bytes:
            found[target].extend((byte, source) for byte in range(low, high + 1) if byte in starts)
        for rule, target in state.calls.items():
            found[target].append((rule, source))
    return found


def _quotient(states: Sequence[State], block_of: Mapping[int, int]) -> list[State]:
    """Return the automaton with one state for each block."""
    numbers: dict[int, int] = {}
    firsts: list[State] = []
    for i, state in enumerate(states):
        if block_of[i] not in numbers:
            numbers[block_of[i]] = len(firsts)
            firsts.append(state)
    found = []
    for state in firsts:
        edges = _merged((low, high, numbers[block_of[target]]) for low, high, target in state.bytes)
        called = {rule: numbers[block_of[target]] for rule, target in state.calls.items()}
        found.append(State(state.is_final, edges, called))
    return found
