"""Rows of tables."""

from collections.abc import Sequence

import torch
from torch._ops import OpOverload
from torch.fx import Node

from backends.cpu.compiler.dims import Dim, product
from backends.cpu.compiler.graph import Value
from backends.cpu.compiler.kinds.embedding import Embedding
from backends.cpu.compiler.kinds.map import Instruction, MapI64, Opcode
from backends.cpu.compiler.lower.builder import Builder, as_it_is, view
from backends.cpu.compiler.lower.rule import ANY, Program, Refusal, Rule, dims_at, tensor_of

_aten = torch.ops.aten
_INTEGERS = (torch.int64, torch.int32)


def _lower_embedding(builder: Builder, node: Node) -> None:
    _emit(builder, node, 0, builder.read(node.args[1]))


def _lower_index_select(builder: Builder, node: Node) -> None:
    _emit(builder, node, _dim_of(node), builder.read(node.args[2]))


def _lower_index(builder: Builder, node: Node) -> None:
    """Indices may be below zero: they count from the end."""
    dim = len(node.args[1]) - 1
    indices = builder.read(node.args[1][dim])
    places = Value(indices.dtype, indices.dims)
    builder.step(_from_end(int(dims_at(node.args[0])[dim])), [indices], places, node)
    _emit(builder, node, dim, places)


def _from_end(size: int) -> MapI64:
    """i, or i + size when it is below zero."""
    constants = Instruction(Opcode.CONSTANT, value=size), Instruction(Opcode.CONSTANT, value=0)
    moved = Instruction(Opcode.ADD, (0, 1)), Instruction(Opcode.LT, (0, 2)), Instruction(Opcode.WHERE, (4, 3, 0))
    return MapI64(1, (*constants, *moved))


def _emit(builder: Builder, node: Node, dim: int, indices: Value) -> None:
    """Rows are what the dimensions other than `dim` say, of a table with `dim` first."""
    rank = tensor_of(node.args[0]).dim()
    order = (dim, *(each for each in range(rank) if each != dim))
    table = builder.read(node.args[0], order)
    columns = product(table.dims[1:])
    rows = view(table, (table.dims[0], columns))
    count = len(indices.dims)
    output = builder.write(node, _indices_first(rank, dim, count))
    builder.step(Embedding(int(table.dims[0])), [rows, indices], view(output, (*indices.dims, columns)), node)


def _indices_first(rank: int, dim: int, count: int) -> tuple[int, ...]:
    """The order of a result that has `count` dimensions where the table has `dim`, with those outermost."""
    others = [each for each in as_it_is(rank - 1 + count) if not dim <= each < dim + count]
    return (*range(dim, dim + count), *others)


def _dim_of(node: Node) -> int:
    return node.args[1] % tensor_of(node.args[0]).dim()


def _refuses_embedding(program: Program, node: Node) -> Refusal:
    return _refuses_rows(node, 0, node.args[1])


def _refuses_index_select(program: Program, node: Node) -> Refusal:
    return _refuses_rows(node, _dim_of(node), node.args[2])


def _refuses_index(program: Program, node: Node) -> Refusal:
    indices: Sequence[Node | None] = node.args[1]
    if indices[-1] is None or any(each is not None for each in indices[:-1]):
        return "indices of one dimension are taken only"
    return _refuses_rows(node, len(indices) - 1, indices[-1])


def _refuses_rows(node: Node, dim: int, indices: Node) -> Refusal:
    if tensor_of(indices).dtype not in _INTEGERS:
        return f"indices of {tensor_of(indices).dtype} are not taken"
    size: Dim = dims_at(node.args[0])[dim]
    return None if isinstance(size, int) else "a table of as many rows as a call says is not taken"


RULES: dict[OpOverload, Rule] = {
    _aten.embedding.default: Rule(_lower_embedding, _refuses_embedding, dtypes=ANY),
    _aten.index_select.default: Rule(_lower_index_select, _refuses_index_select, dtypes=ANY),
    _aten.index.Tensor: Rule(_lower_index, _refuses_index, dtypes=ANY),
}
