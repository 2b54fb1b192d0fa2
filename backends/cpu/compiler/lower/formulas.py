"""Lowering of operators that need several instructions per element."""

from functools import partial
from math import log
from typing import Any

import torch
from torch._ops import OpOverload
from torch.fx import Node

from backends.cpu.compiler.lower.builder import Builder
from backends.cpu.compiler.lower.elementwise import lower_call, lower_map, refuses_call
from backends.cpu.compiler.lower.program import Program, argument, dims_at, tensor_of
from backends.cpu.compiler.lower.rule import NUMBERS, Refusal, Rule, refuses_sizes
from backends.cpu.compiler.ops.expression import Expression, Formula, program
from backends.cpu.schema.elementwise import Opcode
from backends.cpu.schema.records import Activation, ActivationFunction

_aten = torch.ops.aten
_LOG_2 = log(2.0)
_ELU = Activation(ActivationFunction.ELU, 1.0)


def _log1p(x: Expression) -> Expression:
    """Return log1p(x).

    With y = 1 + x, the factor x / (y - 1) corrects the rounding error of y. The factor is omitted
    for x >= 1e8, because it would be NaN for infinity.
    """
    y = x + 1.0
    return (x < 1e8).where(y.equals(1.0).where(x, y.log() * (x / (y - 1.0))), y.log())


def _expm1(x: Expression) -> Expression:
    """Return expm1(x), which is ELU for x <= 0, and -(e^-x - 1) * e^x for x > 0."""
    return (x > 0.0).where(-(-x).activate(_ELU) * x.exp(), x.activate(_ELU))


def _elu(x: Expression, alpha: Expression, scale: Expression, inner: Expression) -> Expression:
    return (x > 0.0).where(x, (x * inner).activate(_ELU) * alpha) * scale


def _log2(x: Expression) -> Expression:
    return x.log() * (1 / _LOG_2)


def _log10(x: Expression) -> Expression:
    return x.log() * (1 / log(10.0))


def _trunc(x: Expression) -> Expression:
    return (x < 0.0).where(x.ceil(), x.floor())


def _sign(x: Expression) -> Expression:
    return (x > 0.0) - (x < 0.0)


def _tan(x: Expression) -> Expression:
    return x.apply(Opcode.SIN) / x.apply(Opcode.COS)


def _isnan(x: Expression) -> Expression:
    return x.apply(Opcode.NE, x)


def _isinf(x: Expression) -> Expression:
    return x.apply(Opcode.ABS).equals(float("inf"))


def _at_least(x: Expression, low: Expression) -> Expression:
    return x.apply(Opcode.MAX, low)


def _at_most(x: Expression, high: Expression) -> Expression:
    return x.apply(Opcode.MIN, high)


def _between(x: Expression, low: Expression, high: Expression) -> Expression:
    return _at_most(_at_least(x, low), high)


def _plus(x: Expression, y: Expression, factor: Expression) -> Expression:
    return x + y * factor


def _minus(x: Expression, y: Expression, factor: Expression) -> Expression:
    return x - y * factor


def lower_formula(builder: Builder, node: Node, formula: Formula, *operands: Any) -> None:
    """Emit `formula` for `operands`, which are nodes or scalars."""
    lower_map(builder, node, lambda kind, numbers: program(kind, formula, numbers), *operands)


def _call(formula: Formula) -> Rule:
    """Return the rule that applies `formula` to the first argument, a float."""
    return Rule(
        lambda builder, node: lower_formula(builder, node, formula, node.args[0]),
        dtypes=(torch.float32, torch.bool),
    )


def lower_elu(builder: Builder, node: Node) -> None:
    """Lower ELU with separate scales for the input and the result."""
    factors = (argument(node, 1 + index, name, 1) for index, name in enumerate(("alpha", "scale", "input_scale")))
    lower_formula(builder, node, _elu, node.args[0], *factors)


def refuses_elu(program: Program, node: Node) -> Refusal:
    """Reject a negative input_scale, because ops compute only ELU of negative inputs."""
    return "a negative input_scale is not supported" if argument(node, 3, "input_scale", 1) < 0 else None


def _lower_exp2(builder: Builder, node: Node) -> None:
    lower_call(builder, node, Opcode.POW, 2.0, node.args[0])


def _lower_abs(builder: Builder, node: Node) -> None:
    """Emit ABS for floats, and max(x, -x) for integers."""
    if tensor_of(node).dtype == torch.float32:
        lower_call(builder, node, Opcode.ABS, node.args[0])
    else:
        lower_formula(builder, node, lambda x: x.apply(Opcode.MAX, -x), node.args[0])


def lower_clamp(builder: Builder, node: Node) -> None:
    """Lower a clamp. Bounds are scalars or tensors, and one of them may be None."""
    low, high = argument(node, 1, "min"), argument(node, 2, "max")
    if low is None or high is None:
        lower_formula(
            builder, node, _at_least if high is None else _at_most, node.args[0], high if low is None else low
        )
    else:
        lower_formula(builder, node, _between, node.args[0], low, high)


def refuses_clamp(program: Program, node: Node) -> Refusal:
    """Reject bounds whose dtype differs from that of the tensor."""
    x = tensor_of(node.args[0])
    if x.dtype != tensor_of(node).dtype or x.dtype == torch.bool:
        return "bounds of a different dtype are not supported"
    reasons = (refuses_sizes(program, dims_at(each), dims_at(node), broadcast=True) for each in node.all_input_nodes)
    return next((reason for reason in reasons if reason is not None), None)


def _scaled_sum(formula: Formula, plain: Opcode) -> Rule:
    """Return the rule of a sum or difference with a factor for the second operand."""

    def lower(builder: Builder, node: Node) -> None:
        factor = node.kwargs.get("alpha", 1)
        if factor == 1:
            lower_call(builder, node, plain, *node.args[:2])
        else:
            lower_formula(builder, node, formula, *node.args[:2], factor)

    return Rule(lower, partial(refuses_call, plain), dtypes=NUMBERS)


RULES: dict[OpOverload, Rule] = {
    _aten.log1p.default: _call(_log1p),
    _aten.expm1.default: _call(_expm1),
    _aten.log2.default: _call(_log2),
    _aten.log10.default: _call(_log10),
    _aten.trunc.default: _call(_trunc),
    _aten.sign.default: _call(_sign),
    _aten.tan.default: _call(_tan),
    _aten.isnan.default: _call(_isnan),
    _aten.isinf.default: _call(_isinf),
    _aten.exp2.default: Rule(_lower_exp2),
    _aten.abs.default: Rule(_lower_abs, dtypes=NUMBERS),
    _aten.clamp.Tensor: Rule(lower_clamp, refuses_clamp, dtypes=NUMBERS),
    _aten.add.Tensor: _scaled_sum(_plus, Opcode.ADD),
    _aten.add.Scalar: _scaled_sum(_plus, Opcode.ADD),
    _aten.sub.Tensor: _scaled_sum(_minus, Opcode.SUB),
    _aten.sub.Scalar: _scaled_sum(_minus, Opcode.SUB),
}
