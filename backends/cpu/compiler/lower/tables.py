"""Lowering of embeddings and indexing.

Embeddings read rows of a table. Indexing reads elements at indices along one or more dimensions.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch._ops import OpOverload
from torch.fx import Node

from backends.cpu.compiler.dims import Dim, product
from backends.cpu.compiler.graph import Value
from backends.cpu.compiler.lower.builder import Builder, as_it_is, view
from backends.cpu.compiler.lower.program import Program, dims_at, tensor_of
from backends.cpu.compiler.lower.rule import ANY, WHOLE, Refusal, Rule
from backends.cpu.compiler.lower.sizes import number_of, range_of
from backends.cpu.compiler.ops.expression import Expression, Formula, program
from backends.cpu.schema.elementwise import ElementwiseI64
from backends.cpu.schema.embedding import Embedding
from backends.cpu.schema.kernel_sizes import ELEMENTWISE_MAX_OPERANDS, MAX_RANK

_aten = torch.ops.aten
# Negative index that stays negative when valid indices are added to it.
_INVALID = -(1 << 40)


@dataclass(frozen=True)
class _Axis:
    """The indices along one dimension, and the size and stride of the dimension."""

    places: Value
    size: Dim
    stride: Dim


def _from_end(i: Expression, size: Expression) -> Expression:
    """Convert negative indices, which count from the end."""
    return (i < 0).where(i + size, i)


def _place(i: Expression, size: Expression, stride: Expression) -> Expression:
    return _checked(_from_end(i, size), size, stride)


def _checked(i: Expression, size: Expression, stride: Expression) -> Expression:
    """Return i * stride, or an invalid index if `i` is out of bounds."""
    return (i < 0).where(_INVALID, (i < size).where(i * stride, _INVALID))


def _sum(*places: Expression) -> Expression:
    first, *others = places
    for each in others:
        first = first + each
    return first


def _lower_embedding(builder: Builder, node: Node) -> None:
    _emit(builder, node, [0], builder.read(node.args[1]))


def _lower_index_select(builder: Builder, node: Node) -> None:
    _emit(builder, node, [_dim_of(node)], builder.read(node.args[2]))


def _lower_index(builder: Builder, node: Node) -> None:
    """Lower indexing along one or more dimensions to an embedding.

    The embedding checks indices of one dimension. Indices of several dimensions are checked before
    they are combined.
    """
    dims = _indexed(node)
    places = [builder.read(node.args[1][dim]) for dim in dims]
    if len(dims) == 1:
        size = dims_at(node.args[0])[dims[0]]
        _emit(builder, node, dims, _mapped(builder, node, _from_end, places[0], size))
        return
    axes = _axes(dims_at(node.args[0]), dims, places)
    parts = [_mapped(builder, node, _place, each.places, each.size, each.stride) for each in axes]
    _emit(builder, node, dims, _joined(builder, node, parts))


def _lower_gather(builder: Builder, node: Node) -> None:
    """Index all dimensions. In all but one, the index is the position in the result."""
    dim, sizes = _dim_of(node), dims_at(node)
    dims = list(range(len(sizes)))
    places = [builder.read(node.args[2]) if each == dim else _own(builder, node, each) for each in dims]
    axes = _axes(dims_at(node.args[0]), dims, places)
    parts = [_mapped(builder, node, _checked, each.places, each.size, each.stride) for each in axes]
    _emit(builder, node, dims, _joined(builder, node, parts))


def _own(builder: Builder, node: Node, dim: int) -> Value:
    """Return the positions along dimension `dim` of `node`, in a broadcastable shape."""
    sizes = dims_at(node)
    shape = (*[1] * dim, sizes[dim], *[1] * (len(sizes) - 1 - dim))
    return view(range_of(builder, node, sizes[dim]), shape)


def _axes(sizes: Sequence[Dim], dims: Sequence[int], places: Sequence[Value]) -> list[_Axis]:
    """Return the axis of each dimension of `dims`, with its stride in the table.

    In the table, these dimensions are adjacent, and the last one is innermost.
    """
    strides = [product([sizes[other] for other in dims[index + 1 :]]) for index in range(len(dims))]
    return [_Axis(place, sizes[dim], stride) for place, dim, stride in zip(places, dims, strides, strict=True)]


def _mapped(builder: Builder, node: Node, formula: Formula, x: Value, *numbers: Dim) -> Value:
    """Apply `formula` to the elements of `x`, with the additional operands `numbers`."""
    known = [each if isinstance(each, int) else None for each in numbers]
    sizes = [number_of(builder, node, each) for each in numbers if not isinstance(each, int)]
    output = Value(torch.int64, x.dims)
    builder.op(program(ElementwiseI64, formula, [None, *known]), [x, *sizes], output, node)
    return output


def _joined(builder: Builder, node: Node, parts: Sequence[Value]) -> Value:
    """Return the sum of the indices of several dimensions, which are broadcast."""
    if len(parts) == 1:
        return parts[0]
    rank = max(len(each.dims) for each in parts)
    padded = [(1,) * (rank - len(each.dims)) + each.dims for each in parts]
    dims = tuple(next((size for size in sizes if size != 1), 1) for sizes in zip(*padded, strict=True))
    output = Value(torch.int64, dims)
    builder.op(program(ElementwiseI64, _sum, [None] * len(parts)), parts, output, node)
    return output


def _emit(builder: Builder, node: Node, dims: Sequence[int], indices: Value) -> None:
    """Emit an embedding.

    The dimensions `dims` become the rows of the table, and the others become its columns.
    """
    rank = tensor_of(node.args[0]).dim()
    order = (*dims, *(each for each in range(rank) if each not in dims))
    table = builder.read_weight(node.args[0], order) or builder.read(node.args[0], order)
    rows, columns = product(table.dims[: len(dims)]), product(table.dims[len(dims) :])
    output = builder.write(node, _indices_first(node, dims, len(indices.dims)))
    spec = Embedding(rows if isinstance(rows, int) else 0)
    builder.op(spec, [view(table, (rows, columns)), indices], view(output, (*indices.dims, columns)), node)


def _indices_first(node: Node, dims: Sequence[int], count: int) -> tuple[int, ...]:
    """Return the memory order of a result whose `count` index dims are outermost.

    The index dims take the place of `dims`. If `dims` are not adjacent, they are the first dims of
    the result.
    """
    first = dims[0] if dims[-1] - dims[0] == len(dims) - 1 else 0
    others = [each for each in as_it_is(tensor_of(node).dim()) if not first <= each < first + count]
    return (*range(first, first + count), *others)


def _indexed(node: Node) -> list[int]:
    return [dim for dim, each in enumerate(node.args[1]) if each is not None]


def _dim_of(node: Node) -> int:
    return node.args[1] % tensor_of(node.args[0]).dim()


def _refuses_embedding(program: Program, node: Node) -> Refusal:
    return _refuses_indices([node.args[1]])


def _refuses_index_select(program: Program, node: Node) -> Refusal:
    if tensor_of(node.args[0]).dim() == 0:
        return "a tensor without dimensions cannot be indexed"
    return _refuses_indices([node.args[2]])


def _refuses_index(program: Program, node: Node) -> Refusal:
    return _refuses_indices([node.args[1][dim] for dim in _indexed(node)])


def _refuses_gather(program: Program, node: Node) -> Refusal:
    if tensor_of(node).dim() in (0, MAX_RANK):
        return f"gather supports 1 to {MAX_RANK - 1} dimensions"
    return _refuses_indices([node.args[2]])


def _refuses_indices(indices: Sequence[Node]) -> Refusal:
    if len(indices) > ELEMENTWISE_MAX_OPERANDS:
        return f"{len(indices)} dimensions are indexed; at most {ELEMENTWISE_MAX_OPERANDS} are supported"
    if any(tensor_of(each).dim() == MAX_RANK for each in indices):
        return f"indices have {MAX_RANK} dimensions; at most {MAX_RANK - 1} are supported"
    other = [tensor_of(each).dtype for each in indices if tensor_of(each).dtype not in WHOLE]
    return f"indices of {other[0]} are not supported" if other else None


RULES: dict[OpOverload, Rule] = {
    _aten.embedding.default: Rule(_lower_embedding, _refuses_embedding, dtypes=ANY),
    _aten.index_select.default: Rule(_lower_index_select, _refuses_index_select, dtypes=ANY),
    _aten.index.Tensor: Rule(_lower_index, _refuses_index, dtypes=ANY),
    _aten.gather.default: Rule(_lower_gather, _refuses_gather, dtypes=ANY),
}
