"""Operators that go element by element over several tensors and numbers."""

from collections.abc import Sequence
from typing import Any

import torch
from torch._ops import OpOverload
from torch.fx import Node

from backends.cpu.compiler.kinds.map import Map, Opcode
from backends.cpu.compiler.lower.builder import Builder, Order, as_it_is
from backends.cpu.compiler.lower.rule import Program, Refusal, Rule, argument, tensor_of

_aten = torch.ops.aten


def _order_of(builder: Builder, operands: Sequence[Node], rank: int) -> Order:
    """The order of the first operand of full rank that was computed, else of a constant."""
    full = [each for each in operands if tensor_of(each).dim() == rank]
    computed = [each for each in full if builder.program.constant(each) is None]
    large = [each for each in computed if builder.laid(each).dims[-1] != 1]
    return builder.laid((large or computed or full)[0]).order if full else as_it_is(rank)


def lower_call(builder: Builder, node: Node, opcode: Opcode, *operands: Any) -> None:
    """`opcode` of `operands`, each a node or a number."""
    nodes = [each for each in operands if isinstance(each, Node)]
    order = _order_of(builder, nodes, tensor_of(node).dim())
    inputs = [builder.broadcast(each, order) for each in nodes]
    numbers = [None if isinstance(each, Node) else float(each) for each in operands]
    builder.step(Map.call(opcode, *numbers), inputs, builder.write(node, order), node)


def _binary(opcode: Opcode) -> Rule:
    return Rule(lambda builder, node: lower_call(builder, node, opcode, *node.args[:2]), _scaled)


def _unary(opcode: Opcode) -> Rule:
    return Rule(lambda builder, node: lower_call(builder, node, opcode, node.args[0]))


def _scaled(program: Program, node: Node) -> Refusal:
    return None if node.kwargs.get("alpha", 1) == 1 else "a second operand with a factor is not taken"


def _divides(program: Program, node: Node) -> Refusal:
    mode = argument(node, 2, "rounding_mode")
    return None if mode is None else f"division with rounding_mode '{mode}' is not taken"


def _lower_div(builder: Builder, node: Node) -> None:
    lower_call(builder, node, Opcode.DIV, *node.args[:2])


RULES: dict[OpOverload, Rule] = {
    _aten.add.Tensor: _binary(Opcode.ADD),
    _aten.add.Scalar: _binary(Opcode.ADD),
    _aten.sub.Tensor: _binary(Opcode.SUB),
    _aten.sub.Scalar: _binary(Opcode.SUB),
    _aten.mul.Tensor: _binary(Opcode.MUL),
    _aten.mul.Scalar: _binary(Opcode.MUL),
    _aten.div.Tensor: Rule(_lower_div),
    _aten.div.Scalar: Rule(_lower_div),
    _aten.div.Tensor_mode: Rule(_lower_div, _divides),
    _aten.maximum.default: _binary(Opcode.MAX),
    _aten.minimum.default: _binary(Opcode.MIN),
    _aten.pow.Tensor_Tensor: _binary(Opcode.POW),
    _aten.pow.Tensor_Scalar: _binary(Opcode.POW),
    _aten.neg.default: _unary(Opcode.NEG),
    _aten.abs.default: _unary(Opcode.ABS),
    _aten.exp.default: _unary(Opcode.EXP),
    _aten.log.default: _unary(Opcode.LOG),
    _aten.sqrt.default: _unary(Opcode.SQRT),
    _aten.rsqrt.default: _unary(Opcode.RSQRT),
    _aten.reciprocal.default: _unary(Opcode.RECIPROCAL),
    _aten.sin.default: _unary(Opcode.SIN),
    _aten.cos.default: _unary(Opcode.COS),
    _aten.erf.default: _unary(Opcode.ERF),
    _aten.floor.default: _unary(Opcode.FLOOR),
    _aten.ceil.default: _unary(Opcode.CEIL),
    _aten.round.default: _unary(Opcode.ROUND),
}
