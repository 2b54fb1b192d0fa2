"""Lowering of activations. GEMMs and convolutions can apply them to their results."""

from collections.abc import Callable
from math import inf

import torch
from torch._ops import OpOverload
from torch.fx import Node

from backends.cpu.compiler.lower import formulas
from backends.cpu.compiler.lower.builder import Builder
from backends.cpu.compiler.lower.program import argument, tensor_of
from backends.cpu.compiler.lower.rule import NUMBERS, Rule
from backends.cpu.schema.elementwise import ElementwiseF32
from backends.cpu.schema.records import RELU, Activation, ActivationFunction

_aten = torch.ops.aten


def _hardtanh(node: Node) -> Activation:
    low, high = argument(node, 1, "min_val", -1.0), argument(node, 2, "max_val", 1.0)
    return Activation(ActivationFunction.CLAMP, float(low), float(high))


def _clamp(node: Node) -> Activation:
    low, high = argument(node, 1, "min"), argument(node, 2, "max")
    return Activation(
        ActivationFunction.CLAMP, -inf if low is None else float(low), inf if high is None else float(high)
    )


def _gelu(node: Node) -> Activation:
    tanh = argument(node, 1, "approximate", "none") == "tanh"
    return Activation(ActivationFunction.GELU_TANH if tanh else ActivationFunction.GELU)


def _leaky_relu(node: Node) -> Activation:
    return Activation(ActivationFunction.LEAKY_RELU, float(argument(node, 1, "negative_slope", 0.01)))


def _elu(node: Node) -> Activation:
    return Activation(ActivationFunction.ELU, float(argument(node, 1, "alpha", 1.0)))


def _plain(function: ActivationFunction) -> Callable[[Node], Activation]:
    return lambda node: Activation(function)


def _lower(activation: Activation, builder: Builder, node: Node) -> None:
    layout = builder.layout(node.args[0])
    builder.op(ElementwiseF32.of(activation), [layout.value], builder.write(node, layout.order), node)


def _rule(activation: Callable[[Node], Activation], whole: bool = False) -> Rule:
    return Rule(lambda builder, node: _lower(activation(node), builder, node), whole=whole)


def _lower_clamp(builder: Builder, node: Node) -> None:
    if tensor_of(node).dtype == torch.float32:
        _lower(_clamp(node), builder, node)
    else:
        formulas.lower_clamp(builder, node)


def _lower_elu(builder: Builder, node: Node) -> None:
    if argument(node, 2, "scale", 1) == argument(node, 3, "input_scale", 1) == 1:
        _lower(_elu(node), builder, node)
    else:
        formulas.lower_elu(builder, node)


RULES: dict[OpOverload, Rule] = {
    _aten.relu.default: _rule(lambda node: RELU),
    _aten.hardtanh.default: _rule(_hardtanh),
    _aten.clamp.default: Rule(_lower_clamp, formulas.refuses_clamp, dtypes=NUMBERS),
    _aten.gelu.default: _rule(_gelu, whole=True),
    _aten.leaky_relu.default: _rule(_leaky_relu, whole=True),
    _aten.elu.default: Rule(_lower_elu, formulas.refuses_elu, whole=True),
    _aten.silu.default: _rule(_plain(ActivationFunction.SILU), whole=True),
    _aten.hardswish.default: _rule(_plain(ActivationFunction.HARDSWISH), whole=True),
    _aten.sigmoid.default: _rule(_plain(ActivationFunction.SIGMOID)),
    _aten.tanh.default: _rule(_plain(ActivationFunction.TANH)),
    _aten.hardsigmoid.default: _rule(_plain(ActivationFunction.HARDSIGMOID), whole=True),
}
