"""Lowering of matrix multiplications.

Multiplications by constant weights become GEMMs. Other multiplications become `matmul`.
"""

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.fx import Node

import exir.dialects.grouped_ops  # noqa: F401  (registers the operator)
from backends.cpu.compiler.graph import TensorLayout, Value, constant
from backends.cpu.compiler.lower.builder import Builder, as_it_is
from backends.cpu.compiler.lower.program import Program, argument, dims_at, tensor_of
from backends.cpu.compiler.lower.rule import NUMBERS, WHOLE, Refusal, Rule, refuses_sizes
from backends.cpu.schema.elementwise import ElementwiseF32, Opcode
from backends.cpu.schema.gemm import GemmF32, GroupedGemmF32, Matmul

_aten = torch.ops.aten


def _emit(builder: Builder, node: Node, x: Node, weight: Tensor, bias: Tensor | None) -> None:
    """Emit `x` [..., K] times `weight`^T, for `weight` [N, K]."""
    n = weight.shape[0]
    row = torch.zeros(n) if bias is None else bias.expand(n)
    inputs = [builder.read(x), constant(weight), constant(row)]
    builder.op(GemmF32(), inputs, builder.write(node), node)


def _weight(builder: Builder, node: object) -> Tensor:
    found = builder.program.weight(node)
    assert found is not None
    return found


def _multiply(builder: Builder, node: Node, a: Node, b: Node) -> Value:
    """Emit the matrix product of `a` and `b`, and return its value.

    `b` may be transposed in memory.
    """
    rank = tensor_of(node).dim()
    columns = (*range(rank - 2), rank - 1, rank - 2)
    transposed = builder.has_layout(b, columns) and not builder.has_layout(b, as_it_is(rank))
    output = Value(torch.float32, dims_at(node))
    inputs = [builder.read(a), builder.read_weight(b) or builder.read(b, columns if transposed else None)]
    builder.op(Matmul(transposed), inputs, output, node)
    return output


def _lower_matmul(builder: Builder, node: Node) -> None:
    product = _multiply(builder, node, node.args[0], node.args[1])
    builder.alias(node, TensorLayout(product, as_it_is(len(product.dims))))


def _lower_mm(builder: Builder, node: Node) -> None:
    if builder.program.weight(node.args[1]) is None:
        _lower_matmul(builder, node)
        return
    _emit(builder, node, node.args[0], _weight(builder, node.args[1]).t(), None)


def _lower_addmm(builder: Builder, node: Node) -> None:
    bias, x, weight = node.args[:3]
    constants = builder.program.weight(weight), builder.program.constant(bias)
    if constants[0] is not None and constants[1] is not None and constants[1].dim() == 1:
        _emit(builder, node, x, constants[0].t(), constants[1])
        return
    summand = builder.broadcast(bias, as_it_is(2))
    product = _multiply(builder, node, x, weight)
    builder.op(ElementwiseF32.call(Opcode.ADD, None, None), [product, summand], builder.write(node), node)


def _lower_linear(builder: Builder, node: Node) -> None:
    bias = builder.program.constant(argument(node, 2, "bias"))
    _emit(builder, node, node.args[0], _weight(builder, node.args[1]), bias)


def _lower_grouped_mm(builder: Builder, node: Node) -> None:
    x, matrices, ends = node.args
    weight = _weight(builder, matrices).transpose(1, 2)
    inputs = [builder.read(x), constant(weight), constant(torch.zeros(weight.shape[1])), builder.read(ends)]
    builder.op(GroupedGemmF32(), inputs, builder.write(node), node)


def _refuses_grouped_mm(program: Program, node: Node) -> Refusal:
    x, matrices, ends = node.args
    for each in (x, matrices):
        if tensor_of(each).dtype != torch.float32:
            return f"'{each.name}' is {tensor_of(each).dtype}; only float32 is supported"
    if tensor_of(ends).dtype not in WHOLE:
        return f"'{ends.name}' is {tensor_of(ends).dtype}; only int64 and int32 are supported"
    groups, depth, _ = dims_at(matrices)
    reason = refuses_sizes(program, (dims_at(x)[1], *dims_at(ends)), (depth, groups))
    return reason or _is_constant(program, matrices, "the weight")


def _refuses_addmm(program: Program, node: Node) -> Refusal:
    if node.kwargs.get("alpha", 1) != 1 or node.kwargs.get("beta", 1) != 1:
        return "addmm with factors other than 1 is not supported"
    reason = refuses_sizes(program, dims_at(node.args[0]), dims_at(node), broadcast=True)
    return reason or _refuses_depth(program, *node.args[1:])


def _refuses_product(program: Program, node: Node) -> Refusal:
    return _refuses_depth(program, *node.args[:2])


def _refuses_depth(program: Program, a: Node, b: Node) -> Refusal:
    """Reject [..., M, K] and [..., K, N] unless batch dims and K are provably equal."""
    (*batch, _, depth), (*other_batch, other_depth, _) = dims_at(a), dims_at(b)
    return refuses_sizes(program, (*batch, depth), (*other_batch, other_depth))


def _refuses_linear(program: Program, node: Node) -> Refusal:
    bias = argument(node, 2, "bias")
    if bias is not None and program.constant(bias) is None:
        return "the bias is not constant"
    if tensor_of(node.args[1]).dim() != 2:
        return "the weight is not a matrix"
    return _is_constant(program, node.args[1], "the weight")


def _is_constant(program: Program, node: object, what: str) -> Refusal:
    return f"{what} is not constant" if program.weight(node) is None else None


RULES: dict[OpOverload, Rule] = {
    _aten.mm.default: Rule(_lower_mm, _refuses_product),
    _aten.bmm.default: Rule(_lower_matmul, _refuses_product),
    _aten.addmm.default: Rule(_lower_addmm, _refuses_addmm),
    _aten.linear.default: Rule(_lower_linear, _refuses_linear, whole=True),
    torch.ops.grouped.mm.default: Rule(_lower_grouped_mm, _refuses_grouped_mm, dtypes=NUMBERS),
}
