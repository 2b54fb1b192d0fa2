"""Compile regular expressions of pre-tokenizers to automata.

An automaton finds the match that a backtracking engine finds: the first alternative, with as many
repetitions as a quantifier prefers. A state is therefore an ordered list of positions in the expression, the preferred
position first; a complete match removes the positions after it. Lookahead is evaluated when the
next character is known, so tables have a column for each class of characters and one for the end
of the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from text.generate.character_sets import CharacterSet, Partition
from text.generate.regex import Alternatives, Characters, Expression, Lookahead, Repeated, parse

_MOST_STATES = 4000


@dataclass(frozen=True)
class Splitters:
    """Automata that share the classes of characters.

    tables: per automaton, rows of `classes.count + 1` cells; the last column is the end of the
    text. A cell is 2 * next + 1 if a match ends before the character, otherwise 2 * next. `next` is
    the number of the next row plus 1; 0 means that no longer match exists.
    """

    classes: Partition
    tables: tuple[tuple[int, ...], ...]


def compile_splitters(patterns: Sequence[str]) -> Splitters:
    """Compile regular expressions. Raises `ValueError` for an unsupported one."""
    programs = [_Program(parse(pattern)) for pattern in patterns]
    classes = Partition(sorted({each for program in programs for each in program.sets()}))
    tables = []
    for pattern, program in zip(patterns, programs, strict=True):
        try:
            tables.append(tuple(_table(program, classes)))
        except ValueError as error:
            raise ValueError(f"the regular expression {pattern!r} is not supported: {error}") from error
    return Splitters(classes, tuple(tables))


@dataclass(frozen=True)
class _Step:
    """Continues at `following` after a character of a set, or if a lookahead holds."""

    condition: Characters | Lookahead
    following: int


@dataclass
class _Fork:
    """Continues at these positions; earlier ones are preferred."""

    following: tuple[int, ...]


_Node: TypeAlias = "_Step | _Fork | None"  # None: the match is complete


class _Program:
    """The positions of an expression, and the steps between them."""

    def __init__(self, expression: Expression) -> None:
        self.nodes: list[_Node] = [None]
        self.start = self._add(expression, 0)

    def _append(self, node: _Node) -> int:
        self.nodes.append(node)
        return len(self.nodes) - 1

    def _add(self, part: Expression, following: int) -> int:
        """Add an expression before `following`. Return its position."""
        if isinstance(part, Characters | Lookahead):
            return self._append(_Step(part, following))
        if isinstance(part, Alternatives):
            return self._append(_Fork(tuple(self._add(option, following) for option in part.options)))
        if isinstance(part, Repeated):
            return self._add_repeated(part, following)
        for each in reversed(part.parts):
            following = self._add(each, following)
        return following

    def _add_repeated(self, repeated: Repeated, following: int) -> int:
        if repeated.most is None:
            loop = _Fork(())
            following_loop = self._append(loop)
            loop.following = self._preferred(repeated, self._add(repeated.part, following_loop), following)
            start = following_loop
        else:
            start = following
            for _ in range(repeated.most - repeated.least):
                start = self._append(_Fork(self._preferred(repeated, self._add(repeated.part, start), following)))
        for _ in range(repeated.least):
            start = self._add(repeated.part, start)
        return start

    @staticmethod
    def _preferred(repeated: Repeated, again: int, following: int) -> tuple[int, int]:
        """Return the positions for another repetition and after it, in order."""
        return (following, again) if repeated.is_lazy else (again, following)

    def sets(self) -> Iterator[CharacterSet]:
        return (node.condition.members for node in self.nodes if isinstance(node, _Step))


def _table(program: _Program, classes: Partition) -> Iterator[int]:
    rows: dict[tuple[int, ...], int] = {(program.start,): 0}
    pending: list[tuple[int, ...]] = [(program.start,)]
    for state in pending:
        for column in (*range(classes.count), None):
            accepts, following = _transition(program, classes, state, column)
            if accepts and state == (program.start,):
                raise ValueError("it matches empty text")
            if following and following not in rows:
                rows[following] = len(rows)
                pending.append(following)
            yield 2 * (rows[following] + 1 if following else 0) + accepts
        if len(rows) > _MOST_STATES:
            raise ValueError(f"its automaton has more than {_MOST_STATES} states")


def _transition(
    program: _Program, classes: Partition, state: Iterable[int], column: int | None
) -> tuple[bool, tuple[int, ...]]:
    """Return whether a match ends before the class `column`, and the state after it.

    A `column` of None is the end of the text.
    """
    following: dict[int, None] = {}
    for position in _expanded(program, classes, state, column):
        node = program.nodes[position]
        if node is None:
            return True, tuple(following)
        assert isinstance(node, _Step)
        if column in classes.of(node.condition.members):
            following[node.following] = None
    return False, tuple(following)


def _expanded(program: _Program, classes: Partition, state: Iterable[int], column: int | None) -> Iterator[int]:
    """Yield positions that need a character or are complete, the preferred first."""
    seen: set[int] = set()
    stack = list(reversed(tuple(state)))
    while stack:
        position = stack.pop()
        if position in seen:
            continue
        seen.add(position)
        node = program.nodes[position]
        if isinstance(node, _Fork):
            stack.extend(reversed(node.following))
        elif isinstance(node, _Step) and isinstance(node.condition, Lookahead):
            look = node.condition
            if look.at_end if column is None else column in classes.of(look.members):
                stack.append(node.following)
        else:
            yield position
