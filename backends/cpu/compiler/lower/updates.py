"""Lowering of operators that replace some elements, such as cache updates."""

from collections.abc import Sequence

import torch
from torch._ops import OpOverload
from torch.fx import Node

from backends.cpu.compiler.dims import Dim, product
from backends.cpu.compiler.graph import Value
from backends.cpu.compiler.lower.builder import Builder, view
from backends.cpu.compiler.lower.copies import expanded
from backends.cpu.compiler.lower.program import Program, argument, dim_at, dims_at, tensor_of
from backends.cpu.compiler.lower.rule import ANY, WHOLE, Refusal, Rule, refuses_sizes
from backends.cpu.schema.attention import KvUpdate
from backends.cpu.schema.indexing import MaskedScatter

_aten = torch.ops.aten
_CACHE, _ROWS, _DIM, _START = range(4)


def _emit(builder: Builder, node: Node, rows: Value, dim: int, places: Sequence[Value], dims: tuple[Dim, ...]) -> None:
    """Replace rows along dimension `dim` of the cache with `rows`.

    The rows have the memory order of the cache.
    """
    layout = builder.layout(node.args[_CACHE])
    at = layout.order.index(dim)
    before, size, after = layout.value.dims[:at], layout.value.dims[at], layout.value.dims[at + 1 :]
    sizes = product(before), size, product(after)
    count = rows.dims[at]
    cache = view(layout.value, sizes)
    inputs = [cache, view(rows, (sizes[0], count, sizes[2])), *places]
    output = builder.rewrite(node, node.args[_CACHE])
    builder.op(KvUpdate(), inputs, view(output, sizes), node, dims=dims)


def _lower_slice_scatter(builder: Builder, node: Node) -> None:
    order = builder.layout(node.args[_CACHE]).order
    start = _start(node)
    _emit(builder, node, builder.read(node.args[_ROWS], order), _dim(node), (), (start,))


def _lower_select_scatter(builder: Builder, node: Node) -> None:
    """Replace one row with a source that does not have the row dimension."""
    layout, dim = builder.layout(node.args[_CACHE]), _dim(node)
    order = tuple(each - (each > dim) for each in layout.order if each != dim)
    rows = view(builder.read(node.args[_ROWS], order), _with_size(layout.value.dims, layout.order.index(dim), 1))
    _emit(builder, node, rows, dim, (), (_start(node),))


def _lower_index_put(builder: Builder, node: Node) -> None:
    indices = node.args[1]
    dim = len(indices) - 1
    layout = builder.layout(node.args[_CACHE])
    places = builder.read(indices[dim])
    count = product(places.dims)
    sizes = tuple(layout.value.dims[layout.order.index(each)] for each in range(len(layout.order)))
    rows = builder.shaped(node.args[2], _with_size(sizes, dim, count), layout.order)
    _emit(builder, node, rows, dim, (view(places, (count,)),), ())


def _lower_masked_scatter(builder: Builder, node: Node) -> None:
    x, mask, source = node.args
    dims = dims_at(node)
    inputs = [expanded(builder, node, x, dims), expanded(builder, node, mask, dims), builder.read(source)]
    builder.op(MaskedScatter(), inputs, builder.write(node), node)


def _refuses_masked_scatter(program: Program, node: Node) -> Refusal:
    x, mask, source = (tensor_of(each) for each in node.args)
    if mask.dtype is not torch.bool:
        return f"the mask is {mask.dtype}; only bool is supported"
    if x.dtype != source.dtype:
        return "the dtype of the written elements differs from that of the buffer"
    reasons = (refuses_sizes(program, dims_at(each), dims_at(node), broadcast=True) for each in node.args[:2])
    return next((reason for reason in reasons if reason is not None), None)


def _with_size(dims: tuple[Dim, ...], at: int, size: Dim) -> tuple[Dim, ...]:
    return (*dims[:at], size, *dims[at + 1 :])


def _dim(node: Node) -> int:
    return argument(node, _DIM, "dim", 0) % tensor_of(node).dim()


def _start(node: Node) -> Dim:
    given = argument(node, _START, "start")
    start = 0 if given is None else dim_at(given)
    return start + dims_at(node)[_dim(node)] if isinstance(start, int) and start < 0 else start


def _refuses_scatter(program: Program, node: Node) -> Refusal:
    if tensor_of(node.args[_ROWS]).dtype != tensor_of(node).dtype:
        return "the dtype of the written rows differs from that of the buffer"
    if argument(node, 5, "step", 1) != 1:
        return "rows can be written only with step 1"
    if not program.bounds.holds(_start(node)):
        return "the start index might be negative, or has no upper bound; bound it with torch._check"
    dim, rows = _dim(node), dims_at(node.args[_ROWS])
    sizes = dims_at(node)
    others = sizes[:dim] + sizes[dim + 1 :]
    is_row = len(rows) < len(sizes)
    return refuses_sizes(program, rows if is_row else rows[:dim] + rows[dim + 1 :], others)


def _refuses_index_put(program: Program, node: Node) -> Refusal:
    indices = node.args[1]
    if any(each is not None for each in indices[:-1]) or indices[-1] is None:
        return "index tensors are supported for one dimension only"
    places = tensor_of(indices[-1])
    if places.dtype not in WHOLE or places.dim() > 1:
        return f"the index tensor is {places.dtype} with rank {places.dim()}; only 1-D integer tensors are supported"
    if argument(node, 3, "accumulate", False):
        return "accumulate=True is not supported"
    return _refuses_values(node, len(indices) - 1)


def _refuses_values(node: Node, dim: int) -> Refusal:
    sizes, count = dims_at(node), product(dims_at(node.args[1][dim]))
    values = [size for size in dims_at(node.args[2]) if size != 1]
    wanted = [size for size in _with_size(sizes, dim, count) if size != 1]
    return (
        None
        if values == wanted
        else (f"the values have the sizes {values}, but the replaced elements have the sizes {wanted}")
    )


RULES: dict[OpOverload, Rule] = {
    _aten.slice_scatter.default: Rule(_lower_slice_scatter, _refuses_scatter, dtypes=ANY, numbers=True),
    _aten.select_scatter.default: Rule(_lower_select_scatter, _refuses_scatter, dtypes=ANY, numbers=True),
    _aten.masked_scatter.default: Rule(_lower_masked_scatter, _refuses_masked_scatter, dtypes=ANY),
    _aten.index_put.default: Rule(_lower_index_put, _refuses_index_put, dtypes=ANY),
}
