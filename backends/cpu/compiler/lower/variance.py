"""Lowering of variances."""

from collections.abc import Sequence

import torch
from torch._ops import OpOverload
from torch.fx import Node

from backends.cpu.compiler.dims import product
from backends.cpu.compiler.graph import Value
from backends.cpu.compiler.lower import reductions
from backends.cpu.compiler.lower.builder import Builder, view
from backends.cpu.compiler.lower.parts import parts_of
from backends.cpu.compiler.lower.program import Program, argument, dims_at
from backends.cpu.compiler.lower.rule import Refusal, Rule
from backends.cpu.compiler.ops.expression import Expression, program
from backends.cpu.schema.elementwise import ElementwiseF32, Opcode
from backends.cpu.schema.reduction import Reduce, Reduction

_aten = torch.ops.aten


def _lower_variance(builder: Builder, node: Node) -> None:
    _emit(builder, node, [node], [])


def _lower_both(builder: Builder, node: Node) -> None:
    parts = parts_of(node)
    _emit(builder, node, parts.get(0, []), parts.get(1, []))


def _emit(builder: Builder, node: Node, variances: Sequence[Node], means: Sequence[Node]) -> None:
    """Emit the mean, the squared deviations, and their sum / (count - correction)."""
    dims = reductions.dims_of_call(node, argument(node, 1, "dim"))
    rows = reductions.rows_of(builder, node.args[0], dims)
    outer, count, columns = rows.x.dims
    mean = Value(torch.float32, (outer, columns))
    builder.op(Reduce(Reduction.MEAN), [rows.x], mean, node)
    squares = Value(torch.float32, rows.x.dims)
    builder.op(_SQUARES, [rows.x, view(mean, (outer, 1, columns))], squares, node)
    total = Value(torch.float32, mean.dims)
    builder.op(Reduce(Reduction.SUM), [squares], total, node)
    variance = Value(torch.float32, mean.dims)
    divisor = ElementwiseF32.call(Opcode.DIV, None, float(max(0, count - _correction(node))))
    builder.op(divisor, [total], variance, node)
    for each, value in ((variances, variance), (means, mean)):
        for part in each:
            builder.alias(part, rows.result(part, value))


def _correction(node: Node) -> float:
    given = node.kwargs.get("correction")
    return 1 if given is None else given


def _above_squared(x: Expression, mean: Expression) -> Expression:
    above = x - mean
    return above * above


_SQUARES = program(ElementwiseF32, _above_squared, (None, None))


def _refuses(program: Program, node: Node) -> Refusal:
    reason = reductions.refuses(program, node)
    if reason is not None:
        return reason
    dims = reductions.dims_of_call(node, argument(node, 1, "dim"))
    count = product([dims_at(node.args[0])[dim] for dim in dims])
    return None if isinstance(count, int) else "the number of reduced elements is dynamic"


RULES: dict[OpOverload, Rule] = {
    _aten.var.correction: Rule(_lower_variance, _refuses),
    _aten.var_mean.correction: Rule(_lower_both, _refuses),
}
