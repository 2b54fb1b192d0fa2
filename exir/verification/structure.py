"""Check an edge graph's structure: operators, schema arguments, value metadata."""

import math
import operator
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import torch
from torch._ops import HigherOrderOperator, OpOverload
from torch.fx import Node

from exir.dialects.edge import EdgeOpOverload
from exir.error import EdgeDialectError

# Callables on symbolic numbers that a graph can contain in addition to operators.
SYMBOLIC = frozenset(
    {
        *(operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv),
        *(operator.mod, operator.pow, operator.neg, operator.abs),
        *(operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge),
        *(operator.and_, operator.or_, operator.not_, operator.lshift, operator.rshift),
        *(math.ceil, math.floor, math.trunc, round),
        *(torch.sym_int, torch.sym_float, torch.sym_max, torch.sym_min, torch.sym_not),
        torch.sym_ite,
    }
)


def check_node(node: Node) -> Mapping[str, object]:
    """Raise `EdgeDialectError` unless `node` is allowed in an edge graph.

    Returns the operands of an edge operator by schema name, and an empty mapping for other nodes.
    """
    if not is_described_call(node):
        return {}
    if isinstance(node.target, EdgeOpOverload):
        op = node.target._op
        if op._schema.is_mutable:
            raise EdgeDialectError(f"{op} writes to its arguments; use its functional variant", node)
        return operands_of(node, op)
    _check_other(node)
    return {}


def is_described_call(node: Node) -> bool:
    """Return whether `node` is a call.

    Raises `EdgeDialectError` for a call that has no `meta["val"]` or does not call an operator.
    """
    if node.op in ("call_module", "call_method"):
        raise EdgeDialectError(f"{node.op} of '{node.target}' is not an operator", node)
    if node.op == "call_function" and "val" not in node.meta:
        raise EdgeDialectError(f"the value of {node.target} is missing; set meta['val']", node)
    return node.op == "call_function"


def _check_other(node: Node) -> None:
    if isinstance(node.target, OpOverload):
        raise EdgeDialectError(f"{node.target} is not in the edge dialect; use exir_ops.edge", node)
    if not is_beside_operators(node.target):
        raise EdgeDialectError(f"{node.target} is not an operator of the edge dialect", node)


def is_beside_operators(target: object) -> bool:
    """Return whether a graph may call `target`, which is not an operator overload."""
    is_known = target is operator.getitem or target in SYMBOLIC
    return is_known or isinstance(target, HigherOrderOperator)


def operands_of(node: Node, op: OpOverload) -> dict[str, object]:
    """Return the operands of `node` by argument name of `op`.

    Raises `EdgeDialectError` if they do not match the schema.
    """
    arguments = _argument_names(op)
    if len(node.args) > len(arguments.positional):
        raise EdgeDialectError(
            f"{op} has {len(arguments.positional)} parameters, got {len(node.args)} arguments: "
            f"{op._schema}",
            node,
        )
    operands = dict(zip(arguments.positional, node.args))
    for name in node.kwargs:
        if name not in arguments.names or name in operands:
            raise EdgeDialectError(f"{node.target}: unknown argument '{name}'", node)
    operands.update(node.kwargs)
    for name in arguments.required:
        if name not in operands:
            raise EdgeDialectError(f"{node.target}: missing argument '{name}'", node)
    return operands


@dataclass(frozen=True)
class _ArgumentNames:
    """Names of an operator's arguments: all, positional ones, and required ones."""

    names: frozenset[str]
    positional: tuple[str, ...]
    required: tuple[str, ...]


@cache
def _argument_names(op: OpOverload) -> _ArgumentNames:
    """Return the argument names of `op`.

    Cached, because reading a schema takes longer than checking a node.
    """
    arguments = op._schema.arguments
    return _ArgumentNames(
        frozenset(argument.name for argument in arguments),
        tuple(argument.name for argument in arguments if not argument.kwarg_only),
        tuple(argument.name for argument in arguments if not argument.has_default_value()),
    )


def check_tensor_operands(node: Node, operands: Mapping[str, object]) -> None:
    """Raise `EdgeDialectError` if a tensor argument is not a node of the graph."""
    for argument in node.target._op._schema.arguments:
        value = operands.get(argument.name)
        if argument.type.kind() == "TensorType" and not isinstance(value, Node):
            raise EdgeDialectError(
                f"{node.target}: '{argument.name}' must be a node of the graph, got {value!r}",
                node,
            )
