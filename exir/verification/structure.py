"""The shape of an edge graph: known operators, arguments after their schema, values described."""

import math
import operator
from collections.abc import Mapping

import torch
from torch._C import Argument
from torch._ops import HigherOrderOperator, OpOverload
from torch.fx import Node

from exir.dialects.edge import EdgeOpOverload
from exir.error import EdgeDialectError

# Callables on symbolic numbers that a graph may hold beside operators.
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
    """Raise `EdgeDialectError` unless `node` may stand in an edge graph.

    Returns the operands of an edge operator by schema name, nothing for other nodes.
    """
    if node.op in ("call_module", "call_method"):
        raise EdgeDialectError(f"{node.op} of '{node.target}' is no operator", node)
    if node.op != "call_function":
        return {}
    if "val" not in node.meta:
        raise EdgeDialectError(f"the value of {node.target} is not described (meta['val'])", node)
    if isinstance(node.target, EdgeOpOverload):
        return _operands(node, node.target._op)
    _check_other(node)
    return {}


def _check_other(node: Node) -> None:
    target = node.target
    if isinstance(target, OpOverload):
        raise EdgeDialectError(f"{target} is not of the edge dialect; use exir_ops.edge", node)
    if target is operator.getitem or target in SYMBOLIC or isinstance(target, HigherOrderOperator):
        return
    raise EdgeDialectError(f"{target} is no operator of the edge dialect", node)


def _operands(node: Node, op: OpOverload) -> dict[str, object]:
    schema = op._schema
    if schema.is_mutable:
        raise EdgeDialectError(f"{op} writes to its arguments; use its functional form", node)
    positional = [argument for argument in schema.arguments if not argument.kwarg_only]
    if len(node.args) > len(positional):
        raise EdgeDialectError(
            f"{op} takes {len(positional)} arguments, got {len(node.args)}: {schema}", node
        )
    given = {argument.name: value for argument, value in zip(positional, node.args)}
    _check_names(node, schema.arguments, given)
    return {**given, **node.kwargs}


def _check_names(node: Node, arguments: list[Argument], given: dict[str, object]) -> None:
    names = {argument.name for argument in arguments}
    for name in node.kwargs:
        if name not in names or name in given:
            raise EdgeDialectError(f"{node.target} takes no further argument '{name}'", node)
    for argument in arguments:
        if argument.name not in given and argument.name not in node.kwargs:
            if not argument.has_default_value():
                raise EdgeDialectError(f"{node.target} lacks its argument '{argument.name}'", node)


def check_tensor_operands(node: Node, operands: Mapping[str, object]) -> None:
    """Raise `EdgeDialectError` when what the schema calls a tensor is no value of the graph."""
    for argument in node.target._op._schema.arguments:
        value = operands.get(argument.name)
        if argument.type.kind() == "TensorType" and not isinstance(value, Node):
            raise EdgeDialectError(
                f"{node.target}: '{argument.name}' must be a value of the graph, got {value!r}",
                node,
            )
