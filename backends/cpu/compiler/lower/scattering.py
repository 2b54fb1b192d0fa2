"""Lowering of `scatter_add`."""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.fx import Node

from backends.cpu.compiler.dims import product
from backends.cpu.compiler.graph import Value
from backends.cpu.compiler.lower.builder import Builder, view
from backends.cpu.compiler.lower.program import Program, dims_at, tensor_of
from backends.cpu.compiler.lower.rule import WHOLE, Example, Refusal, Rule
from backends.cpu.compiler.ops.reference import evaluate
from backends.cpu.schema.indexing import ScatterAdd


@evaluate.register
def _scatter_add(spec: ScatterAdd, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    x, index, source = inputs
    outputs[0].copy_(x.scatter_add(1, index.long(), source))


def _lower_scatter_add(builder: Builder, node: Node) -> None:
    x, dim, index, source = node.args
    dim %= tensor_of(node).dim()
    inputs = [_around(builder.read(each), dim) for each in (x, index, source)]
    builder.op(ScatterAdd(), inputs, _around(builder.write(node), dim), node)


def _around(value: Value, dim: int) -> Value:
    """View `value` as [A, R, C], where R is the size of dimension `dim`."""
    dims = value.dims
    return view(value, (product(dims[:dim]), dims[dim], product(dims[dim + 1 :])))


def _refuses_scatter_add(program: Program, node: Node) -> Refusal:
    x, dim, index, source = node.args
    rank = tensor_of(x).dim()
    if tensor_of(x).dtype != torch.float32:
        return f"scatter_add of {tensor_of(x).dtype} is not supported"
    if rank == 0:
        return "scatter_add of a scalar is not supported"
    if dims_at(index) != dims_at(source):
        return "the index is smaller than the source"
    if any(dims_at(index)[each] != dims_at(x)[each] for each in range(rank) if each != dim % rank):
        return "the index is smaller than the input in a dimension other than 'dim'"
    return None


def _messages() -> tuple[Tensor, ...]:
    """Return features of 5 graph nodes, and targets and features of 9 messages."""
    targets = torch.randint(0, 5, (9, 1)).expand(9, 70).clone()
    return torch.randn(5, 70), targets, torch.randn(9, 70)


RULES: dict[OpOverload, Rule] = {
    torch.ops.aten.scatter_add.default: Rule(
        _lower_scatter_add,
        _refuses_scatter_add,
        dtypes=(torch.float32, *WHOLE),
        examples=(
            Example(ScatterAdd, lambda x, index, source: x.scatter_add(0, index, source), _messages),
            Example(ScatterAdd, lambda x, index, source: x.t().scatter_add(-1, index.t(), source.t()), _messages),
        ),
    ),
}
