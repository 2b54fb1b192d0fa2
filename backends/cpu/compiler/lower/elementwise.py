"""Lowering of elementwise operators on tensors and scalars."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

import torch
from torch._ops import OpOverload
from torch.fx import Node

from backends.cpu.compiler.graph import constant
from backends.cpu.compiler.lower.builder import Builder, Order, as_it_is
from backends.cpu.compiler.lower.program import Program, argument, dims_at, tensor_of
from backends.cpu.compiler.lower.rms_norm import rms_norm_at
from backends.cpu.compiler.lower.rule import NUMBERS, WHOLE, Refusal, Rule, refuses_sizes
from backends.cpu.schema.elementwise import Elementwise, ElementwiseF32, ElementwiseI64, Opcode
from backends.cpu.schema.normalization import Norm

_aten = torch.ops.aten
MakesMap: TypeAlias = Callable[[type[Elementwise], Sequence[float | None]], Elementwise]


def _order_of(builder: Builder, operands: Sequence[Node], rank: int) -> Order:
    """Return the order of the first computed operand of full rank.

    If there is none, return the order of a constant.
    """
    full = [each for each in operands if tensor_of(each).dim() == rank]
    computed = [each for each in full if builder.program.constant(each) is None]
    large = [each for each in computed if builder.layout(each).dims[-1:] != (1,)]
    return builder.layout((large or computed or full)[0]).order if full else as_it_is(rank)


def lower_call(builder: Builder, node: Node, opcode: Opcode, *operands: Any) -> None:
    """Emit `opcode` for `operands`, which are nodes or scalars."""
    lower_map(builder, node, lambda kind, numbers: kind.call(opcode, *numbers), *operands)


def lower_map(builder: Builder, node: Node, make: MakesMap, *operands: Any) -> None:
    """Emit the op that `make` returns.

    make: receives the op type and `operands`, with None in place of nodes.
    """
    rank = tensor_of(node).dim()
    given = [_as_number(builder, each, rank, operands) for each in operands]
    nodes = [each for each in given if isinstance(each, Node)]
    kind = kind_for(node, [each for each in operands if isinstance(each, Node)])
    order = _order_of(builder, nodes, rank)
    inputs = [builder.broadcast(each, order) for each in nodes]
    cast = int if kind is ElementwiseI64 else float
    numbers = [None if isinstance(each, Node) else cast(each) for each in given]
    builder.op(make(kind, numbers), inputs, builder.write(node, order), node)


def _lower_mul(builder: Builder, node: Node) -> None:
    """Emit a multiplication, or the RMS norm that ends with this multiplication.

    The other operators of the norm are then dead.
    """
    norm = rms_norm_at(builder.program, node)
    if norm is None:
        lower_call(builder, node, Opcode.MUL, *node.args[:2])
        return
    output = builder.write(node)
    scale = torch.ones(int(output.dims[-1])) if norm.scale is None else norm.scale
    inputs = [builder.read(norm.x), constant(scale)]
    builder.op(Norm(False, norm.epsilon), inputs, output, *norm.nodes)


def kind_for(node: Node, operands: Sequence[Node]) -> type[Elementwise]:
    """Return the op type whose registers can represent `node` and its operands."""
    whole = any(tensor_of(each).dtype in WHOLE for each in operands)
    return ElementwiseI64 if whole and tensor_of(node).dtype != torch.float32 else ElementwiseF32


def _as_number(builder: Builder, operand: Any, rank: int, operands: Sequence[Any]) -> Any:
    """Return the value of `operand` if it is a one-element constant, or `operand`.

    The value is used only if a non-constant operand has rank `rank`.
    """
    if not isinstance(operand, Node) or any(dim != 1 for dim in dims_at(operand)):
        return operand
    found = builder.layout(operand).value.constant
    others = [each for each in operands if isinstance(each, Node) and builder.layout(each).value.constant is None]
    return found.item() if found is not None and any(tensor_of(each).dim() == rank for each in others) else operand


def _call(opcode: Opcode, count: int) -> Rule:
    """Return the rule of an operator whose first `count` arguments are operands."""

    def lower(builder: Builder, node: Node) -> None:
        lower_call(builder, node, opcode, *node.args[:count])

    return Rule(lower, partial(refuses_call, opcode), dtypes=NUMBERS)


def refuses_call(opcode: Opcode, program: Program, node: Node) -> Refusal:
    """Return why `opcode` does not support the operands of `node`, or None."""
    operands = node.all_input_nodes
    for each in operands:
        reason = refuses_sizes(program, dims_at(each), dims_at(node), broadcast=True)
        if reason is not None:
            return reason
    floats = [each for each in operands if tensor_of(each).dtype == torch.float32]
    if tensor_of(node).dtype in WHOLE and floats:
        return "integer results of float operands are not supported"
    if tensor_of(node).dtype in WHOLE and all(tensor_of(each).dtype == torch.bool for each in operands):
        return "integer results are not supported if all operands are boolean"
    if floats and any(tensor_of(each).dtype in WHOLE for each in operands):
        return "mixed integer and float operands are not supported"
    if kind_for(node, operands) is not ElementwiseI64:
        return None
    if not opcode.is_integer:
        return f"{opcode.name.lower()} of integers is not supported"
    return (
        None
        if _are_representable(node.args, operands)
        else ("a scalar outside the range of the integer dtype is not supported")
    )


def _are_representable(arguments: Sequence[Any], operands: Sequence[Node]) -> bool:
    """Return whether the operands' integer dtypes can represent scalar arguments."""
    numbers = [each for each in arguments if isinstance(each, (int, float))]
    ranges = [torch.iinfo(tensor_of(each).dtype) for each in operands if tensor_of(each).dtype in WHOLE]
    return all(
        float(number).is_integer() and limits.min <= number <= limits.max for number in numbers for limits in ranges
    )


def _refuses_bits(program: Program, node: Node) -> Refusal:
    return None if tensor_of(node).dtype == torch.bool else "bitwise operators on integers are not supported"


def _logical(opcode: Opcode, count: int) -> Rule:
    """Return the rule of a bitwise operator, which is a logical operator for booleans."""
    return Rule(_call(opcode, count).lower, _refuses_bits, dtypes=NUMBERS)


def _divides(program: Program, node: Node) -> Refusal:
    mode = argument(node, 2, "rounding_mode")
    return None if mode is None else f"division with rounding_mode '{mode}' is not supported"


_ONE = {
    _aten.neg.default: Opcode.NEG,
    _aten.exp.default: Opcode.EXP,
    _aten.log.default: Opcode.LOG,
    _aten.sqrt.default: Opcode.SQRT,
    _aten.rsqrt.default: Opcode.RSQRT,
    _aten.reciprocal.default: Opcode.RECIPROCAL,
    _aten.sin.default: Opcode.SIN,
    _aten.cos.default: Opcode.COS,
    _aten.erf.default: Opcode.ERF,
    _aten.floor.default: Opcode.FLOOR,
    _aten.ceil.default: Opcode.CEIL,
    _aten.round.default: Opcode.ROUND,
    _aten.logical_not.default: Opcode.NOT,
}
_TWO = {
    _aten.mul.Scalar: Opcode.MUL,
    _aten.div.Tensor: Opcode.DIV,
    _aten.div.Scalar: Opcode.DIV,
    _aten.maximum.default: Opcode.MAX,
    _aten.minimum.default: Opcode.MIN,
    _aten.pow.Tensor_Tensor: Opcode.POW,
    _aten.pow.Tensor_Scalar: Opcode.POW,
    _aten.pow.Scalar: Opcode.POW,
    _aten.eq.Tensor: Opcode.EQ,
    _aten.eq.Scalar: Opcode.EQ,
    _aten.ne.Tensor: Opcode.NE,
    _aten.ne.Scalar: Opcode.NE,
    _aten.lt.Tensor: Opcode.LT,
    _aten.lt.Scalar: Opcode.LT,
    _aten.le.Tensor: Opcode.LE,
    _aten.le.Scalar: Opcode.LE,
    _aten.gt.Tensor: Opcode.GT,
    _aten.gt.Scalar: Opcode.GT,
    _aten.ge.Tensor: Opcode.GE,
    _aten.ge.Scalar: Opcode.GE,
    _aten.logical_and.default: Opcode.AND,
    _aten.logical_or.default: Opcode.OR,
}
RULES: dict[OpOverload, Rule] = {
    **{operator: _call(opcode, 1) for operator, opcode in _ONE.items()},
    **{operator: _call(opcode, 2) for operator, opcode in _TWO.items()},
    _aten.mul.Tensor: Rule(_lower_mul, partial(refuses_call, Opcode.MUL), dtypes=NUMBERS),
    _aten.where.self: _call(Opcode.WHERE, 3),
    _aten.div.Tensor_mode: Rule(_call(Opcode.DIV, 2).lower, _divides),
    _aten.bitwise_and.Tensor: _logical(Opcode.AND, 2),
    _aten.bitwise_or.Tensor: _logical(Opcode.OR, 2),
    _aten.bitwise_not.default: _logical(Opcode.NOT, 1),
}
