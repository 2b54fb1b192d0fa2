"""Integers of the program: the payload computes them with its sizes, no step does."""

import operator
from collections.abc import Callable
from typing import Any

import torch
from torch.fx import Node

from backends.cpu.compiler.lower.builder import Builder
from backends.cpu.compiler.lower.rule import ANY, Rule


def _lower(builder: Builder, node: Node) -> None:
    """Where it is used, it is an expression over what the call is made with."""


_SIZE = Rule(_lower, computes=False, dtypes=ANY)
_OPERATORS = (torch.ops.aten.sym_size.int, operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod)

RULES: dict[Callable[..., Any], Rule] = dict.fromkeys(_OPERATORS, _SIZE)
