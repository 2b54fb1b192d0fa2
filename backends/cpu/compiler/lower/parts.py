"""Lowers multi-output operators: one rule emits all outputs at once."""

import operator
from collections.abc import Callable
from typing import Any

from torch.fx import Node

from backends.cpu.compiler.lower.builder import Builder
from backends.cpu.compiler.lower.program import Program
from backends.cpu.compiler.lower.rule import ANY, Refusal, Rule


def parts_of(node: Node) -> dict[int, list[Node]]:
    """Return the `getitem` nodes of each used result of `node`, by result index."""
    found: dict[int, list[Node]] = {}
    for user in node.users:
        found.setdefault(user.args[1], []).append(user)
    return found


def refuses_but_first(program: Program, node: Node) -> Refusal:
    """Reject a node if any result except the first is used."""
    return None if set(parts_of(node)) <= {0} else "only the first result is supported"


def _lower_part(builder: Builder, node: Node) -> None:
    """Emit nothing: the operator has already lowered its results."""


RULES: dict[Callable[..., Any], Rule] = {operator.getitem: Rule(_lower_part, computes=False, dtypes=ANY)}
