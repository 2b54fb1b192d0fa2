"""Prepare rules: remove useless parts, count with loops, inline small rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from llm.grammar.expressions import (
    EMPTY,
    Byte,
    Call,
    Choice,
    Concatenation,
    Expression,
    GrammarError,
    Repetition,
    calls,
    choice,
    concatenation,
    inner_parts,
)

# Rules with more bytes and calls are inlined only if they are called once.
_MOST_INLINED_LEAVES = 16
# Repetitions with more bytes and calls become loops, which count while they match.
_MOST_UNROLLED_LEAVES = 48


@dataclass(frozen=True)
class Loop:
    """A rule that repeats another one from `least` to `most` times (None: no limit)."""

    body: str
    least: int
    most: int | None


@dataclass(frozen=True)
class PreparedRules:
    """The rules that a root needs.

    expressions, loops: the rules by name. Each has at least one finite text.
    nullable: the rules that match the empty text.
    inlined: the rules that become part of their callers.
    called: the root and the rules that are not inlined.
    """

    expressions: Mapping[str, Expression]
    loops: Mapping[str, Loop]
    nullable: set[str]
    inlined: set[str]
    called: list[str]


def prepare_rules(rules: Mapping[str, Expression], root: str) -> PreparedRules:
    """Prepare rules for automata. Raises `GrammarError` if no text matches the root."""
    productive = _closure(rules, holds_for_bytes=True)
    if root not in productive:
        raise GrammarError(f"the rule {root!r} matches no text; give each recursion and choice a way to end")
    looping = _Loops()
    for name in rules:
        if name in productive:
            looping.add(name, _productive_part(rules[name], productive))
    expressions, loops = looping.expressions, looping.loops
    bodies = {name: Repetition(Call(loop.body), loop.least, loop.most) for name, loop in loops.items()}
    nullable = _closure(expressions | bodies, holds_for_bytes=False)
    for name, loop in loops.items():
        if loop.body in nullable:
            loops[name] = Loop(loop.body, 0, loop.most)
    callees = {name: list(calls(body)) for name, body in (expressions | bodies).items()}
    inlined = _inlined_rules(expressions, callees, {root} | {loop.body for loop in loops.values()})
    outside = {name: _called_rules(callees, name, inlined) for name in callees}
    return PreparedRules(expressions, loops, nullable, inlined, _reachable(outside, root))


def _closure(rules: Mapping[str, Expression], *, holds_for_bytes: bool) -> set[str]:
    """Return the rules with a property that depends on the rules that they call."""
    found: set[str] = set()
    count = -1
    while count < len(found):
        count = len(found)
        found |= {name for name in rules if name not in found and _holds(rules[name], found, holds_for_bytes)}
    return found


def _holds(expression: Expression, rules: set[str], holds_for_bytes: bool) -> bool:
    """Return whether a finite text matches, or the empty one if bytes do not count.

    `rules` are rules with such a text.
    """
    if isinstance(expression, Byte):
        return holds_for_bytes
    if isinstance(expression, Call):
        return expression.rule in rules
    if isinstance(expression, Choice):
        return any(_holds(option, rules, holds_for_bytes) for option in expression.options)
    is_optional = isinstance(expression, Repetition) and expression.least == 0
    return is_optional or all(_holds(part, rules, holds_for_bytes) for part in inner_parts(expression))


def _productive_part(expression: Expression, rules: set[str]) -> Expression:
    """Return an expression that can end, without the parts that cannot."""
    if isinstance(expression, Concatenation):
        return Concatenation(tuple(_productive_part(part, rules) for part in expression.parts))
    if isinstance(expression, Choice):
        return choice(_productive_part(option, rules) for option in expression.options if _holds(option, rules, True))
    if isinstance(expression, Repetition):
        if not _holds(expression.part, rules, True):
            return EMPTY
        return Repetition(_productive_part(expression.part, rules), expression.least, expression.most)
    return expression


class _Loops:
    """Moves large repetitions to rules of their own."""

    def __init__(self) -> None:
        self.expressions: dict[str, Expression] = {}
        self.loops: dict[str, Loop] = {}
        self._names: dict[Expression, str] = {}

    def add(self, name: str, body: Expression) -> None:
        self.expressions[name] = self._converted(body)

    def _converted(self, expression: Expression) -> Expression:
        if isinstance(expression, Concatenation):
            return concatenation(*(self._converted(part) for part in expression.parts))
        if isinstance(expression, Choice):
            return choice(self._converted(option) for option in expression.options)
        if not isinstance(expression, Repetition):
            return expression
        converted = Repetition(self._converted(expression.part), expression.least, expression.most)
        counted = converted.least if converted.most is None else converted.most
        if counted < 2 or _leaves(converted, {}) <= _MOST_UNROLLED_LEAVES:
            return converted
        return Call(self._loop(converted))

    def _loop(self, repetition: Repetition) -> str:
        """Return the rule of a repetition. Equal ones share a rule."""
        part = repetition.part
        if not isinstance(part, Call):
            if part not in self._names:
                self._names[part] = f"loop body {len(self._names)}"
                self.expressions[self._names[part]] = part
            part = Call(self._names[part])
        if repetition not in self._names:
            self._names[repetition] = f"loop {len(self._names)}"
            self.loops[self._names[repetition]] = Loop(part.rule, repetition.least, repetition.most)
        return self._names[repetition]


def _leaves(expression: Expression, leaves_of_rules: Mapping[str, int]) -> int:
    """Return the number of bytes and calls.

    `leaves_of_rules` has those of the rules that are inlined.
    """
    if isinstance(expression, Byte):
        return 1
    if isinstance(expression, Call):
        return leaves_of_rules.get(expression.rule, 1)
    leaves = sum(_leaves(part, leaves_of_rules) for part in inner_parts(expression))
    if not isinstance(expression, Repetition):
        return leaves
    return leaves * (expression.least + 1 if expression.most is None else expression.most)


def _reachable(callees: Mapping[str, list[str]], root: str) -> list[str]:
    """Return the root and the rules that it calls directly or indirectly."""
    found = [root]
    seen = {root}
    for name in found:
        new = [rule for rule in dict.fromkeys(callees[name]) if rule not in seen]
        seen.update(new)
        found.extend(new)
    return found


def _inlined_rules(expressions: Mapping[str, Expression], callees: Mapping[str, list[str]], kept: set[str]) -> set[str]:
    """Return the rules to inline: small ones, and those that are called once."""
    times = Counter(rule for called in callees.values() for rule in called)
    leaves: dict[str, int] = {}
    # Rules without other calls come first, then the rules that call them; recursive ones are left.
    waiting = [name for name in callees if name in expressions]
    known: set[str] = set()
    while True:
        ready = [name for name in waiting if all(rule in known or rule not in expressions for rule in callees[name])]
        if not ready:
            return set(leaves)
        for name in ready:
            known.add(name)
            size = _leaves(expressions[name], leaves)
            if name not in kept and (times[name] == 1 or size <= _MOST_INLINED_LEAVES):
                leaves[name] = size
        waiting = [name for name in waiting if name not in known]


def _called_rules(callees: Mapping[str, list[str]], name: str, inlined: set[str]) -> list[str]:
    """Return the rules that a rule calls after inlining."""
    found: list[str] = []
    waiting = list(callees[name])
    while waiting:
        rule = waiting.pop()
        if rule in inlined:
            waiting.extend(callees[rule])
        else:
            found.append(rule)
    return found
