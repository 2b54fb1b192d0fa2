"""Decompositions of operators that count, number or group equal elements."""

from collections.abc import Callable, Mapping, Sequence
from math import inf, prod
from typing import Any

import torch
from torch import SymInt, Tensor
from torch._ops import OpOverload
from torch.fx import Node
from torch.types import Number

from exir.decomposition.result_bounds import max_size
from exir.error import UnsupportedOperatorError

_ATEN = torch.ops.aten
_Size = int | SymInt
_Unique = tuple[Tensor, Tensor, Tensor]
MAX_UNIQUE_COLUMNS = 64
"""Maximum number of elements of a slice in `unique_dim`, which sorts once per element."""


def _bincount(x: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """Count integers; the length of the result is the largest element plus 1."""
    largest = torch.cat([x.to(torch.int64), torch.full([1], minlength - 1)]).amax() + 1
    length: Any = largest.item()
    torch._check(length >= minlength)
    return _count_each(x, weights, length)


def _count_each(x: Tensor, weights: Tensor | None, length: _Size) -> Tensor:
    """Count each integer below `length` in `x`, or sum its weights."""
    amount = torch.ones_like(x, dtype=torch.int64) if weights is None else weights
    if weights is not None and weights.dtype is not torch.float32:
        amount = weights.to(torch.float64)
    return torch.zeros([length], dtype=amount.dtype).scatter_add(0, x.to(torch.int64), amount)


def _first_counts(x: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """Return the first `minlength` counts."""
    return _count_each(x.to(torch.int64).clamp(max=minlength), weights, minlength + 1)[:minlength]


def bincount_for_users(node: Node) -> Callable[..., Any] | None:
    """Return a decomposition of the `bincount` call `node` that suits its users.

    `bincount(x, minlength=n)` has a static size if its users read only the first n counts. Raises
    `UnsupportedOperatorError` if another call has no upper bound.
    """
    minlength = _argument_of(node, 2, "minlength", 0)
    if all(_reads_first(user, minlength) for user in node.users):
        return _first_counts
    if max_size(node.meta["val"].shape[0]) is None:
        raise UnsupportedOperatorError(
            "the length of torch.bincount depends on its elements and has no upper bound; slice the "
            "result as in torch.bincount(x, minlength=n)[:n], or bound it with "
            "torch._check(counts.shape[0] <= n)",
            node,
        )
    return None


def _reads_first(user: Node, count: int) -> bool:
    if user.target is _ATEN.sym_size.int:
        return all(not item.users or _only_checks(item) for item in user.users)
    if user.target is _ATEN.select.int:
        return user.args[1] == 0 and 0 <= user.args[2] < count
    if user.target is _ATEN.narrow.default:
        _, dim, start, length = user.args
        return (
            dim == 0
            and all(isinstance(argument, int) for argument in (start, length))
            and 0 <= start <= start + length <= count
        )
    if user.target is not _ATEN.slice.Tensor:
        return False
    bounds = [
        _argument_of(user, 1, "dim", 0),
        _argument_of(user, 2, "start", 0) or 0,
        _argument_of(user, 3, "end", None),
    ]
    dim, start, end = bounds
    return dim == 0 and all(isinstance(bound, int) and 0 <= bound <= count for bound in (start, end))


def _only_checks(node: Node) -> bool:
    """Return true if only assertions use `node`."""
    return all(user.target is _ATEN._assert_scalar.default for user in node.users)


def _argument_of(node: Node, position: int, name: str, default: Any) -> Any:
    return node.args[position] if len(node.args) > position else node.kwargs.get(name, default)


def _starts_of_runs(rows: Tensor) -> Tensor:
    """Return booleans [n]: true if a row of `rows` [n, …] differs from the one before."""
    differs = rows != torch.roll(rows, 1, 0)
    if rows.dim() > 1:
        differs = differs.any(1)
    return torch.logical_or(differs, torch.arange(rows.shape[0]) == 0)


def _number_runs(begins: Tensor) -> _Unique:
    """Find the runs of equal rows.

    Returns the start of each run, the run index of each row, and the number of rows of each run.
    """
    places = torch.nonzero(begins).squeeze(1)
    run = torch.cumsum(begins.to(torch.int64), 0) - 1
    return places, run, torch.zeros_like(places).scatter_add(0, run, torch.ones_like(run))


def _empty_indices() -> Tensor:
    return torch.empty([0], dtype=torch.int64)


def _slices_as_rows(x: Tensor, dim: int) -> Tensor:
    """Return the slices of `x` along `dim` as rows."""
    return x.movedim(dim, 0).reshape(x.shape[dim], prod(x.shape) // x.shape[dim])


def _unique_consecutive(
    x: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> _Unique:
    rows = x.reshape(-1) if dim is None else _slices_as_rows(x, dim)
    places, run, counts = _number_runs(_starts_of_runs(rows))
    values = x.reshape(-1).index_select(0, places) if dim is None else x.index_select(dim, places)
    is_whole = dim is not None
    inverse = run if is_whole else run.reshape(x.shape) if return_inverse else _empty_indices()
    return values, inverse, counts if is_whole or return_counts else _empty_indices()


def _unique2(
    x: Tensor,
    sorted: bool = True,  # noqa: A002 (as in the schema)
    return_inverse: bool = False,
    return_counts: bool = False,
) -> _Unique:
    ordered, order = _ATEN.sort.stable(x.reshape(-1), stable=True, dim=0, descending=False)
    places, run, counts = _number_runs(_starts_of_runs(ordered))
    inverse = torch.zeros_like(run).scatter(0, order, run).reshape(x.shape) if return_inverse else None
    return (
        ordered.index_select(0, places),
        _empty_indices() if inverse is None else inverse,
        counts if return_counts else _empty_indices(),
    )


def _unique(
    x: Tensor,
    sorted: bool = True,  # noqa: A002 (as in the schema)
    return_inverse: bool = False,
) -> tuple[Tensor, Tensor]:
    values, inverse, _ = _unique2(x, sorted, return_inverse)
    return values, inverse


def _unique_dim(
    x: Tensor,
    dim: int,
    sorted: bool = True,  # noqa: A002 (as in the schema)
    return_inverse: bool = False,
    return_counts: bool = False,
) -> _Unique:
    """Sort rows lexicographically: stable sorts by each column, the last column first."""
    rows = _slices_as_rows(x, dim)
    if not isinstance(rows.shape[1], int) or rows.shape[1] > MAX_UNIQUE_COLUMNS:
        return NotImplemented
    order = torch.arange(rows.shape[0])
    for column in reversed(range(rows.shape[1])):
        keys = rows.select(1, column).index_select(0, order)
        order = order.index_select(0, _ATEN.sort.stable(keys, stable=True, dim=0, descending=False)[1])
    places, run, counts = _number_runs(_starts_of_runs(rows.index_select(0, order)))
    values = x.index_select(dim, order.index_select(0, places))
    return values, torch.zeros_like(run).scatter(0, order, run), counts


def _nonzero_static(x: Tensor, *, size: int, fill_value: int = -1) -> Tensor:
    """Return the first `size` nonzero indices; other rows have `fill_value`."""
    if x.dim() == 0 or size == 0:
        return torch.full([size, x.dim()], fill_value)
    is_set = (x != 0).reshape(-1)
    number = torch.cumsum(is_set.to(torch.int64), 0) - 1
    row = torch.where(is_set, number.clamp(max=size), size)
    place = torch.arange(is_set.shape[0])
    columns = []
    for dim in reversed(range(x.dim())):
        index = place if dim == 0 else torch.remainder(place, x.shape[dim])
        columns.append(torch.full([size + 1], fill_value).scatter(0, row, index)[:size])
        place = torch.div(place, x.shape[dim], rounding_mode="floor") if dim else place
    return torch.stack(columns[::-1], 1)


_SEGMENT_REDUCTIONS: Mapping[str, tuple[str, float]] = {
    "sum": ("sum", 0.0),
    "mean": ("sum", 0.0),
    "max": ("amax", -inf),
    "min": ("amin", inf),
    "prod": ("prod", 1.0),
}
"""For each name, the reduction of `scatter_reduce` and its initial value."""


def _segment_reduce(
    x: Tensor,
    reduce: str,
    *,
    lengths: Tensor | None = None,
    indices: Tensor | None = None,
    offsets: Tensor | None = None,
    axis: int = 0,
    unsafe: bool = False,
    initial: Number | None = None,
) -> Any:
    """Reduce segments along `axis`.

    `lengths` is [*x.shape[:axis], segments], and `offsets` is [*x.shape[:axis], segments + 1].
    """
    ends = _segment_ends(lengths, offsets)
    if ends is None:
        return NotImplemented
    reduction, begin = _SEGMENT_REDUCTIONS[reduce]
    axis = axis % x.dim()
    counts = lengths if lengths is not None else offsets.diff(dim=-1)  # type: ignore[union-attr]
    place = torch.arange(x.shape[axis], dtype=ends.dtype).expand([*ends.shape[:-1], x.shape[axis]])
    segment = torch.searchsorted(ends, place.contiguous(), right=True)
    shape = [*x.shape[:axis], ends.shape[-1], *x.shape[axis + 1 :]]
    inner = [1] * (x.dim() - axis - 1)
    index = segment.to(torch.int64).reshape([*segment.shape, *inner]).expand(x.shape)
    start = torch.full(shape, begin if initial is None else initial, dtype=x.dtype)
    out = _ATEN.scatter_reduce.two(start, axis, index, x, reduction, include_self=True)
    if reduce != "mean":
        return out
    counts = counts.reshape([*counts.shape, *inner])
    mean = out / counts.clamp(min=1).to(x.dtype)
    return mean if initial is not None else torch.where(counts > 0, mean, float("nan"))


def _segment_ends(lengths: Tensor | None, offsets: Tensor | None) -> Tensor | None:
    """Return the exclusive end of each segment."""
    if lengths is not None:
        return torch.cumsum(lengths, -1).to(lengths.dtype)
    return None if offsets is None else offsets[..., 1:].contiguous()


def _histogram(
    x: Tensor,
    bins: int,
    *,
    range: Sequence[float] | None = None,  # noqa: A002 (as in the schema)
    weight: Tensor | None = None,
    density: bool = False,
) -> tuple[Tensor, Tensor]:
    edges = _bin_edges(x.reshape(-1), bins, range)
    return _histogram_of_edges(x, edges, weight=weight, density=density)


def _bin_edges(x: Tensor, bins: int, limits: Sequence[float] | None) -> Tensor:
    """Return `bins` + 1 edges; by default, from the minimum to the maximum of `x`."""
    if limits is not None:
        low, high = limits
        if low == high:
            low, high = low - 0.5, high + 0.5
        return torch.linspace(low, high, bins + 1, dtype=x.dtype)
    if isinstance(x.shape[0], int) and x.shape[0] == 0:
        return torch.linspace(0.0, 1.0, bins + 1, dtype=x.dtype)
    least, most = x.amin(), x.amax()
    are_equal = least == most
    least, most = torch.where(are_equal, least - 0.5, least), torch.where(are_equal, most + 0.5, most)
    step = (most - least) / bins
    place = torch.arange(bins + 1, dtype=x.dtype)
    return torch.where(place < (bins + 1) // 2, least + place * step, most - (bins - place) * step)


def _histogram_of_edges(
    x: Tensor, bins: Tensor, *, weight: Tensor | None = None, density: bool = False
) -> tuple[Tensor, Tensor]:
    hist = _histogram_over(x.reshape(-1, 1), [bins], weight, density)
    return hist, bins.clone()


def _histogram_over(
    rows: Tensor, edges: Sequence[Tensor], weight: Tensor | None, density: bool
) -> Tensor:
    """Count `rows` [n, d] in the bins between `edges`, a list of d tensors.

    The last bin includes its upper edge.
    """
    counts = [axis_edges.shape[0] - 1 for axis_edges in edges]
    place = torch.zeros([rows.shape[0]], dtype=torch.int64)
    is_inside = torch.ones([rows.shape[0]], dtype=torch.bool)
    for dim, (edge, count) in enumerate(zip(edges, counts)):
        x = rows.select(1, dim).contiguous()
        own_bin = (torch.searchsorted(edge.contiguous(), x, right=True) - 1).clamp(0, count - 1)
        place = place * count + own_bin
        is_inside = is_inside & (x >= edge.select(0, 0)) & (x <= edge.select(0, count))
    amount = (
        torch.ones_like(place, dtype=rows.dtype) if weight is None else weight.reshape(-1).to(rows.dtype)
    )
    amount = torch.where(is_inside, amount, 0.0)
    hist = torch.zeros([prod(counts)], dtype=rows.dtype).scatter_add(0, place, amount).reshape(counts)
    if not density:
        return hist
    hist = hist / hist.sum()
    for dim, edge in enumerate(edges):
        shape = [1] * len(edges)
        shape[dim] = -1
        hist = hist / edge.diff().reshape(shape)
    return hist


def _histogramdd_edges(
    x: Tensor,
    bins: Sequence[int],
    *,
    range: Sequence[float] | None = None,  # noqa: A002 (as in the schema)
    weight: Tensor | None = None,
    density: bool = False,
) -> list[Tensor]:
    rows = x.reshape(-1, x.shape[-1])
    return [
        _bin_edges(rows.select(1, dim), count, None if range is None else range[2 * dim : 2 * dim + 2])
        for dim, count in enumerate(bins)
    ]


def _histogramdd_counts(
    x: Tensor,
    bins: Sequence[int],
    *,
    range: Sequence[float] | None = None,  # noqa: A002 (as in the schema)
    weight: Tensor | None = None,
    density: bool = False,
) -> Tensor:
    edges = _histogramdd_edges(x, bins, range=range)
    return _histogram_over(x.reshape(-1, x.shape[-1]), edges, weight, density)


def _histogramdd_of_edges(
    x: Tensor, bins: Sequence[Tensor], *, weight: Tensor | None = None, density: bool = False
) -> Tensor:
    return _histogram_over(x.reshape(-1, x.shape[-1]), bins, weight, density)


COUNTING: Mapping[OpOverload, Callable[..., Any]] = {
    _ATEN._histogramdd_bin_edges.default: _histogramdd_edges,
    _ATEN._histogramdd_from_bin_cts.default: _histogramdd_counts,
    _ATEN._histogramdd_from_bin_tensors.default: _histogramdd_of_edges,
    _ATEN._unique.default: _unique,
    _ATEN._unique2.default: _unique2,
    _ATEN.bincount.default: _bincount,
    _ATEN.histogram.bin_ct: _histogram,
    _ATEN.histogram.bins_tensor: _histogram_of_edges,
    _ATEN.nonzero_static.default: _nonzero_static,
    _ATEN.segment_reduce.default: _segment_reduce,
    _ATEN.unique_consecutive.default: _unique_consecutive,
    _ATEN.unique_dim.default: _unique_dim,
}
