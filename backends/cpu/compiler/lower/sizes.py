"""Lowering of operators on integers, such as sizes.

The payload computes integers together with its sizes. Only integers that become tensor elements
need ops.
"""

import operator
from collections.abc import Callable
from typing import Any

import torch
from torch.fx import Node

from backends.cpu.compiler.dims import Dim
from backends.cpu.compiler.graph import Value, constant
from backends.cpu.compiler.lower.builder import Builder
from backends.cpu.compiler.lower.rule import ANY, Rule
from backends.cpu.schema.indexing import Arange


def number_of(builder: Builder, node: Node, dim: Dim) -> Value:
    """Return a one-element tensor that contains `dim`.

    `node` is the node being lowered.
    """
    return builder.once((dim, "number"), lambda: _ranged(builder, node, dim, 1))


def range_of(builder: Builder, node: Node, count: Dim) -> Value:
    """Return the integers 0 to `count` - 1."""
    if isinstance(count, int):
        return constant(torch.arange(count))
    return builder.once((count, "range"), lambda: _ranged(builder, node, 0, count))


def _ranged(builder: Builder, node: Node, start: Dim, count: Dim) -> Value:
    output = Value(torch.int64, (count,))
    builder.op(Arange(1), [], output, node, dims=(start,))
    return output


def _lower(builder: Builder, node: Node) -> None:
    """Emit nothing, because uses of the integer are expressions over input sizes."""


_SIZE = Rule(_lower, computes=False, dtypes=ANY, numbers=True)
_OPERATORS = (torch.ops.aten.sym_size.int, operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod)

RULES: dict[Callable[..., Any], Rule] = dict.fromkeys(_OPERATORS, _SIZE)
