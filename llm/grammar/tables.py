"""The tables of a grammar: states of a pushdown automaton that reads bytes.

A frame of the automaton's stack is a state, and a count if the state is a loop. An edge consumes a
byte and replaces the frame on top: by frames that wait for called rules, and by the next state. Edges
therefore contain all calls until the next byte, in the way of Greibach's normal form (Greibach,
1965). A state that only ends its rule needs no frame.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from llm.grammar.automaton import State, build_automata
from llm.grammar.expressions import Expression, GrammarError
from llm.grammar.rules import PreparedRules, prepare_rules

# The limits of 16-bit numbers in executorch/llm/grammar.h.
_MOST_PUSHES = 0xFFFF
_NO_LIMIT = 0


@dataclass(frozen=True, order=True)
class Edge:
    """Bytes from `first` to `last`, the states to push, and the next state."""

    first: int
    last: int
    pushed: tuple[int, ...]
    target: int


@dataclass(frozen=True)
class Grammar:
    """A compiled grammar, with the arrays of `et_grammar`.

    edge_starts: state i has the edges edge_starts[i] to edge_starts[i + 1] - 1.
    edges: (first byte, last byte, next state, start in `pushed`, number of pushed states).
    can_end: whether a rule can end in a state. For a loop, its counts decide.
    least, most: counts of the loops, which are the first states; a `most` of 0 is no limit.
    """

    start: int
    edge_starts: Sequence[int]
    edges: Sequence[tuple[int, int, int, int, int]]
    pushed: Sequence[int]
    can_end: Sequence[bool]
    least: Sequence[int]
    most: Sequence[int]


def compile_rules(rules: Mapping[str, Expression], root: str) -> Grammar:
    """Compile the rules of a grammar. Raises `GrammarError`."""
    try:
        prepared = prepare_rules(rules, root)
        return _Tables(prepared, build_automata(prepared)).grammar(root)
    except RecursionError as error:
        raise GrammarError("the grammar is nested too deeply; divide it into rules") from error


class _Tables:
    """Numbers the states of all rules, and expands calls to edges.

    Loops have the first numbers, then the state that ends any rule, then the other states.
    """

    def __init__(self, rules: PreparedRules, automata: Mapping[str, list[State]]) -> None:
        self._rules = rules
        self._automata = automata
        self._loops = [name for name in rules.called if name in rules.loops]
        self._end = len(self._loops)
        self._numbers = {name: [number] for number, name in enumerate(self._loops)}
        count = self._end + 1
        for name, states in automata.items():
            self._numbers[name] = []
            for state in states:
                self._numbers[name].append(self._end if state.only_ends else count)
                count += not state.only_ends
        self._first_edges: dict[str, list[Edge]] = {}

    def grammar(self, root: str) -> Grammar:
        states: list[tuple[list[Edge], bool]] = [(self._edges_into(name, ()), False) for name in self._loops]
        states.append(([], True))
        for name, automaton in self._automata.items():
            states += [(self._edges(name, state), state.is_final) for state in automaton if not state.only_ends]
        pushed: list[int] = []
        places: dict[tuple[int, ...], int] = {(): 0}
        starts, edges = [0], []
        for found, _ in states:
            for edge in sorted(found):
                if edge.pushed not in places:
                    places[edge.pushed] = len(pushed)
                    pushed.extend(edge.pushed)
                edges.append((edge.first, edge.last, edge.target, places[edge.pushed], len(edge.pushed)))
            starts.append(len(edges))
        if len(pushed) > _MOST_PUSHES:
            raise GrammarError("rules call each other too often; reduce the grammar")
        loops = [self._rules.loops[name] for name in self._loops]
        return Grammar(
            start=self._numbers[root][0],
            edge_starts=starts,
            edges=edges,
            pushed=pushed,
            can_end=[can_end for _, can_end in states],
            least=[loop.least for loop in loops],
            most=[loop.most or _NO_LIMIT for loop in loops],
        )

    def _edges(self, name: str, state: State, calling: tuple[str, ...] = ()) -> list[Edge]:
        """Return the edges of a state, including those into called rules."""
        numbers = self._numbers[name]
        found = {Edge(first, last, (), numbers[target]) for first, last, target in state.bytes}
        for rule, target in state.calls.items():
            waiting = () if numbers[target] == self._end else (numbers[target],)
            for edge in self._edges_into(rule, calling):
                pushed = waiting + edge.pushed
                # A rule that ends with this byte continues with the frame below it.
                if edge.target == self._end and pushed:
                    found.add(Edge(edge.first, edge.last, pushed[:-1], pushed[-1]))
                else:
                    found.add(Edge(edge.first, edge.last, pushed, edge.target))
        return list(found)

    def _edges_into(self, name: str, calling: tuple[str, ...]) -> list[Edge]:
        """Return the edges with the first bytes of a rule.

        `calling` are the rules that wait for it.
        """
        if name in calling:
            cycle = " -> ".join([*calling[calling.index(name) :], name])
            raise GrammarError(
                f"left recursion: {cycle}; a rule must not begin with itself, so put the recursion at its end"
            )
        if name not in self._first_edges:
            calling = (*calling, name)
            if name in self._rules.loops:
                state = State(False, calls={self._rules.loops[name].body: 0})
                self._first_edges[name] = self._edges(name, state, calling)
            else:
                self._first_edges[name] = self._edges(name, self._automata[name][0], calling)
        return self._first_edges[name]
