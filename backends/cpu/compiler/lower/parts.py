"""Operators that give several tensors: those that are used are lowered with them."""

import operator
from collections.abc import Callable
from typing import Any

from torch.fx import Node

from backends.cpu.compiler.lower.builder import Builder
from backends.cpu.compiler.lower.rule import ANY, Program, Refusal, Rule


def parts_of(node: Node) -> dict[int, list[Node]]:
    """What takes each result of `node`, by the result's number."""
    found: dict[int, list[Node]] = {}
    for user in node.users:
        found.setdefault(user.args[1], []).append(user)
    return found


def refuses_but_first(program: Program, node: Node) -> Refusal:
    """Refuses a node of which another result than the first one is used."""
    return None if set(parts_of(node)) <= {0} else "only the first result is supported"


def _lower_part(builder: Builder, node: Node) -> None:
    """What gives parts has made them."""


RULES: dict[Callable[..., Any], Rule] = {operator.getitem: Rule(_lower_part, computes=False, dtypes=ANY)}
