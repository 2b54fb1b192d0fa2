"""Decompositions of scatter reductions, embedding bags and related operators."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import SymInt, Tensor
from torch._ops import OpOverload
from torch.types import Number

_ATEN = torch.ops.aten
_OLD_NAMES = {"add": "sum", "multiply": "prod"}
_SUM, _MEAN = 0, 1  # modes of an embedding bag; the other mode is max


def _scatter_reduce(
    x: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
) -> Any:
    """Compute a mean as sum / count; other reductions are one operator."""
    if reduce != "mean":
        return NotImplemented
    total = _ATEN.scatter_reduce.two(x, dim, index, source, "sum", include_self=include_self)
    before = torch.ones_like(x) if include_self else torch.zeros_like(x)
    count = before.scatter_add(dim, index, torch.ones_like(source)).clamp(min=1)
    return total / count if x.is_floating_point() else torch.div(total, count, rounding_mode="floor")


def _scatter_old_name(x: Tensor, dim: int, index: Tensor, source: Tensor, *, reduce: str) -> Tensor:
    return _ATEN.scatter_reduce.two(x, dim, index, source, _OLD_NAMES[reduce], include_self=True)


def _scatter_number(x: Tensor, dim: int, index: Tensor, value: Number, *, reduce: str) -> Tensor:
    source = torch.full_like(index, value, dtype=x.dtype)
    return _scatter_old_name(x, dim, index, source, reduce=reduce)


def _index_reduce(
    x: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    shape = [1] * source.dim()
    if shape:
        shape[dim] = -1
    wide = index.to(torch.int64).reshape(shape).expand(source.shape)
    return _ATEN.scatter_reduce.two(x, dim, wide, source, reduce, include_self=include_self)


def _select_scatter(x: Tensor, source: Tensor, dim: int, index: int | SymInt) -> Any:
    """Convert `source` to the dtype of `x`, as eager PyTorch does.

    torch's decomposition promotes the dtypes of both tensors.
    """
    (decomposed,) = torch._decomp.get_decompositions([_ATEN.select_scatter.default]).values()
    return decomposed(x, source.to(x.dtype), dim, index)


def _embedding_bag(
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    scale_grad_by_freq: bool = False,
    mode: int = 0,
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int = -1,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Reduce bags of embeddings.

    `weight` [V, D], `indices` [N] and `offsets` [B], the starts of the bags, give [B, D]. For the
    gradient, the function also returns the bag of each index, the size of each bag, and an empty tensor.
    """
    bags = offsets.shape[0] - 1 if include_last_offset else offsets.shape[0]
    places = torch.arange(indices.shape[0], dtype=offsets.dtype, device=offsets.device)
    bag = torch.searchsorted(offsets.narrow(0, 0, bags), places, right=True) - 1
    rows = weight.index_select(0, indices)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.unsqueeze(1)
    counted = indices != padding_idx
    sizes = _sum_of_bags(counted.to(rows.dtype), bag, bags)
    out = _reduced_bags(rows, counted.unsqueeze(1), bag, sizes.unsqueeze(1), mode)
    return out, bag, sizes.to(torch.int64), bag.new_zeros(0)


def _sum_of_bags(rows: Tensor, bag: Tensor, bags: int | SymInt) -> Tensor:
    return rows.new_zeros([bags, *rows.shape[1:]]).index_add(0, bag, rows)


def _reduced_bags(rows: Tensor, counted: Tensor, bag: Tensor, sizes: Tensor, mode: int) -> Tensor:
    """Reduce the rows of each bag; ignored rows and empty bags are 0."""
    if mode in (_SUM, _MEAN):
        total = _sum_of_bags(torch.where(counted, rows, 0.0), bag, sizes.shape[0])
        return total if mode == _SUM else total / sizes.clamp(min=1)
    least = rows.new_full([sizes.shape[0], *rows.shape[1:]], float("-inf"))
    rows = torch.where(counted, rows, float("-inf"))
    return torch.where(sizes > 0, _index_reduce(least, 0, bag, rows, "amax"), 0.0)


def _gather(x: Tensor, dim: int, index: Tensor, **options: Any) -> Any:
    """Gather from a zero-dimensional tensor or index as from a vector."""
    if x.dim() == index.dim():
        return NotImplemented
    return x.reshape(-1).gather(0, index.reshape(-1)).reshape(index.shape)


def _diagonal_scatter(
    x: Tensor, source: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> Tensor:
    rest = [dim for dim in range(x.dim()) if dim not in (dim1 % x.dim(), dim2 % x.dim())]
    order = [*rest, dim1 % x.dim(), dim2 % x.dim()]
    places = torch.arange(source.shape[-1])
    along = [places + max(-offset, 0), places + max(offset, 0)]
    written = _ATEN.index_put.default(x.permute(order), [*[None] * len(rest), *along], source)
    return written.permute([order.index(dim) for dim in range(x.dim())])


def _take(x: Tensor, index: Tensor) -> Tensor:
    return _ATEN.index.Tensor(x.reshape(-1), [index])


def _put(x: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    flat = x.reshape(-1)
    written = _ATEN.index_put.default(flat, [index.reshape(-1)], source.reshape(-1), accumulate)
    return written.reshape(x.shape)


SCATTERING: Mapping[OpOverload, Callable[..., Any]] = {
    _ATEN._embedding_bag.default: _embedding_bag,
    _ATEN._embedding_bag_forward_only.default: _embedding_bag,
    _ATEN.diagonal_scatter.default: _diagonal_scatter,
    _ATEN.gather.default: _gather,
    _ATEN.index_reduce.default: _index_reduce,
    _ATEN.select_scatter.default: _select_scatter,
    _ATEN.put.default: _put,
    _ATEN.scatter.reduce: _scatter_old_name,
    _ATEN.scatter.value_reduce: _scatter_number,
    _ATEN.scatter_reduce.two: _scatter_reduce,
    _ATEN.take.default: _take,
}
