"""Map Python arithmetic on scalars to the runtime's `executorch_prim` operators."""

import builtins
import math
import operator

import torch
from torch._ops import HigherOrderOperator
from torch.fx import Node

from exir.error import UnsupportedOperatorError
from exir.schema import Operator

_PRIM_OPERATORS = {
    operator.add: "add",
    operator.sub: "sub",
    operator.mul: "mul",
    operator.floordiv: "floordiv",
    operator.truediv: "truediv",
    operator.mod: "mod",
    operator.neg: "neg",
    operator.eq: "eq",
    operator.gt: "gt",
    operator.ge: "ge",
    operator.lt: "lt",
    operator.le: "le",
    math.ceil: "ceil",
    math.trunc: "trunc",
    builtins.round: "round",
    torch.sym_float: "sym_float",
    torch.sym_int: "sym_int",
    torch.sym_ite: "sym_ite",
    torch.sym_max: "sym_max",
    torch.sym_min: "sym_min",
    torch.sym_not: "sym_not",
}


def prim_operator(node: Node) -> Operator:
    """Return the scalar operator that computes `node`.

    Raises `UnsupportedOperatorError` if the runtime has none.
    """
    if isinstance(node.target, HigherOrderOperator):
        message = (
            f"a .pte program cannot call {node.target}; supported control flow: cond, while_loop, map "
            "and scan"
        )
        raise UnsupportedOperatorError(message, node)
    if node.target is builtins.round and len(node.args) > 1:
        message = (
            "a .pte program cannot round scalars to decimal digits; round a tensor with "
            "torch.round(x, decimals=digits)"
        )
        raise UnsupportedOperatorError(message, node)
    name = _PRIM_OPERATORS.get(node.target)
    if name is None:
        message = (
            f"a .pte program cannot compute scalars with {node.target}; compute with tensors, or "
            "pass the result as an input"
        )
        raise UnsupportedOperatorError(message, node)
    return Operator(f"executorch_prim::{name}", "Scalar")
