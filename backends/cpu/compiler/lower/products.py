"""Products with constant matrices."""

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.fx import Node

from backends.cpu.compiler.graph import constant
from backends.cpu.compiler.kinds.product import Product
from backends.cpu.compiler.lower.builder import Builder
from backends.cpu.compiler.lower.rule import Program, Refusal, Rule, argument, tensor_of

_aten = torch.ops.aten


def _emit(builder: Builder, node: Node, x: Node, weight: Tensor, bias: Tensor | None) -> None:
    """`x` [..., K] times `weight` [N, K]."""
    n = weight.shape[0]
    row = weight.new_zeros(n) if bias is None else bias.expand(n)
    inputs = [builder.read(x), constant(weight), constant(row)]
    builder.step(Product(), inputs, builder.write(node), node)


def _constant(builder: Builder, node: object) -> Tensor:
    found = builder.program.constant(node)
    assert found is not None
    return found


def _lower_mm(builder: Builder, node: Node) -> None:
    _emit(builder, node, node.args[0], _constant(builder, node.args[1]).t(), None)


def _lower_addmm(builder: Builder, node: Node) -> None:
    bias, x, weight = node.args[:3]
    _emit(builder, node, x, _constant(builder, weight).t(), _constant(builder, bias))


def _lower_linear(builder: Builder, node: Node) -> None:
    bias = builder.program.constant(argument(node, 2, "bias"))
    _emit(builder, node, node.args[0], _constant(builder, node.args[1]), bias)


def _refuses_mm(program: Program, node: Node) -> Refusal:
    return _is_constant(program, node.args[1], "the second matrix")


def _refuses_addmm(program: Program, node: Node) -> Refusal:
    if node.kwargs.get("alpha", 1) != 1 or node.kwargs.get("beta", 1) != 1:
        return "addmm is taken with factors of 1 only"
    bias = program.constant(node.args[0])
    if bias is None or bias.dim() != 1:
        return "what is added to the product is no constant row"
    return _is_constant(program, node.args[2], "the second matrix")


def _refuses_linear(program: Program, node: Node) -> Refusal:
    bias = argument(node, 2, "bias")
    if bias is not None and program.constant(bias) is None:
        return "the bias is computed, not constant"
    if tensor_of(node.args[1]).dim() != 2:
        return "the weight is no matrix"
    return _is_constant(program, node.args[1], "the weight")


def _is_constant(program: Program, node: object, what: str) -> Refusal:
    return f"{what} is computed, not constant" if program.constant(node) is None else None


RULES: dict[OpOverload, Rule] = {
    _aten.mm.default: Rule(_lower_mm, _refuses_mm),
    _aten.addmm.default: Rule(_lower_addmm, _refuses_addmm),
    _aten.linear.default: Rule(_lower_linear, _refuses_linear),
}
