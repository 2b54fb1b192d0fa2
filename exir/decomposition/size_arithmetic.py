"""Lowers Python arithmetic on sizes and integer inputs to scalar operators."""

import math
import operator
from collections.abc import Callable
from typing import Any

import torch
from torch import SymFloat, SymInt
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.export import ExportedProgram
from torch.fx import Node

from exir.dialects.edge import edge_op
from exir.graph.control_flow import graphs
from exir.graph.edit import insert_before, replace_and_erase
from exir.graph.fake_mode import fake_mode_of
from exir.graph.graph_builder import inherited_meta

_ATEN = torch.ops.aten
_LARGEST_CHAIN = 16
"""Powers up to this exponent become multiplications."""


def lower_size_arithmetic(program: ExportedProgram) -> ExportedProgram:
    """Replace scalar powers, shifts, floors and the like with supported operators.

    Small constant powers become multiplications; other powers use one-element tensors. `program` is
    modified.
    """
    for graph_module in graphs(program.graph_module):
        for node in list(graph_module.graph.nodes):
            rule = _RULES.get(node.target) if node.op == "call_function" else None
            if rule is not None:
                result = rule(_ScalarBuilder(node, fake_mode_of(program.graph)), *node.args)
                if result is not None:
                    result.meta["val"] = node.meta["val"]
                    replace_and_erase(node, result)
    return program


class _ScalarBuilder:
    """Builds scalar nodes before `node`."""

    def __init__(self, node: Node, fake_mode: FakeTensorMode) -> None:
        self._node = node
        self._fake_mode = fake_mode

    @property
    def is_float(self) -> bool:
        return isinstance(self._node.meta["val"], (float, SymFloat))

    def choose(self, *operands: Any) -> Node:
        """Build `sym_ite`, which torch cannot evaluate for a SymBool and a bool."""
        with self._node.graph.inserting_before(self._node):
            new = self._node.graph.call_function(torch.sym_ite, operands)
        new.meta = {**inherited_meta(self._node), "val": self._node.meta["val"]}
        return new

    def apply(self, function: Callable[..., Any], *operands: Any) -> Node:
        operand_vals = [
            operand.meta["val"] if isinstance(operand, Node) else operand for operand in operands
        ]
        with self._node.graph.inserting_before(self._node):
            new = self._node.graph.call_function(function, operands)
        new.meta = {**inherited_meta(self._node), "val": function(*operand_vals)}
        return new

    def tensor(self, number: Any) -> Node:
        """Return a one-element tensor of `number`, in int64 or float64."""
        dtype = torch.float64 if self.is_float else torch.int64
        return insert_before(
            self._node, _ATEN.scalar_tensor.default, (number,), {"dtype": dtype}, self._fake_mode
        )

    def run(self, op: Any, *operands: Any) -> Node:
        return insert_before(self._node, op, operands, {}, self._fake_mode)

    def item(self, tensor: Node) -> Node:
        """Return the scalar in a one-element tensor, with the metadata of `node`."""
        with self._node.graph.inserting_before(self._node):
            new = self._node.graph.call_function(edge_op(_ATEN._local_scalar_dense.default), (tensor,))
        new.meta = {**inherited_meta(self._node), "val": self._node.meta["val"]}
        return new


def _pow(build: _ScalarBuilder, base: Any, exponent: Any) -> Node | None:
    # torch.export converts negative exponents and those of floats to floats.
    if isinstance(exponent, int) and 0 < exponent <= _LARGEST_CHAIN:
        product = base
        for _ in range(exponent - 1):
            product = build.apply(operator.mul, product, base)
        return product
    if not isinstance(base, Node):
        return build.item(build.run(_ATEN.pow.Scalar, base, build.tensor(exponent)))
    return build.item(build.run(_ATEN.pow.Tensor_Scalar, build.tensor(base), exponent))


def _abs(build: _ScalarBuilder, number: Any) -> Node:
    return build.apply(torch.sym_max, number, build.apply(operator.neg, number))


def _floor(build: _ScalarBuilder, number: Any) -> Node:
    up = build.apply(math.ceil, build.apply(operator.neg, number))
    return build.apply(operator.neg, up)


def _not_equal(build: _ScalarBuilder, left: Any, right: Any) -> Node:
    return build.apply(torch.sym_not, build.apply(operator.eq, left, right))


def _left_shift(build: _ScalarBuilder, number: Any, places: Any) -> Node | None:
    return build.apply(operator.mul, number, 1 << places) if isinstance(places, int) else None


def _right_shift(build: _ScalarBuilder, number: Any, places: Any) -> Node | None:
    return build.apply(operator.floordiv, number, 1 << places) if isinstance(places, int) else None


def _and(build: _ScalarBuilder, left: Any, right: Any) -> Node | None:
    """Build a logical and of booleans, or a modulo that selects an integer's low bits."""
    if _is_boolean(left) and _is_boolean(right):
        return build.choose(left, right, False)
    number, mask = (right, left) if isinstance(left, int) else (left, right)
    is_low = isinstance(mask, int) and mask >= 0 and mask & (mask + 1) == 0
    return build.apply(operator.mod, number, mask + 1) if is_low else None


def _or(build: _ScalarBuilder, left: Any, right: Any) -> Node | None:
    """Build a logical or of booleans."""
    if _is_boolean(left) and _is_boolean(right):
        return build.choose(left, True, right)
    return None


def _is_boolean(value: Any) -> bool:
    val = value.meta["val"] if isinstance(value, Node) else value
    return not isinstance(val, (float, SymInt, SymFloat)) and (type(val) is not int)


def _round(build: _ScalarBuilder, number: Any, digits: Any = None) -> Node | None:
    """Build the form without digits; torch.export passes None for missing digits."""
    return build.apply(round, number) if digits is None else None


_RULES: dict[Any, Callable[..., Node | None]] = {
    operator.pow: _pow,
    pow: _pow,
    operator.abs: _abs,
    abs: _abs,
    math.floor: _floor,
    operator.ne: _not_equal,
    operator.lshift: _left_shift,
    operator.rshift: _right_shift,
    operator.and_: _and,
    operator.or_: _or,
    round: _round,
}
