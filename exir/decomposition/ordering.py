"""Decomposes order statistics into sorting and searching."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import SymInt, Tensor
from torch._ops import OpOverload

_ATEN = torch.ops.aten
_Pair = tuple[Tensor, Tensor]


def _stable_sort(x: Tensor, dim: int) -> _Pair:
    """Sort stably in ascending order along `dim`, NaN last; return values and indices."""
    return _ATEN.sort.stable(x, stable=True, dim=dim, descending=False)


def _select_at(pair: _Pair, dim: int, place: int | SymInt) -> _Pair:
    values, places = pair
    if values.dim() == 0:
        return pair
    return values.select(dim, place), places.select(dim, place)


def _gather_at(pair: _Pair, dim: int, place: Tensor) -> _Pair:
    """Select one element of each line along `dim`, at the indices `place`."""
    values, places = pair
    if values.dim() == 0:
        return pair
    index = place.unsqueeze(dim)
    return values.gather(dim, index).squeeze(dim), places.gather(dim, index).squeeze(dim)


def _with_result_shape(pair: _Pair, x: Tensor, dim: int, keepdim: bool) -> _Pair:
    if not keepdim or x.dim() == 0:
        return pair
    return pair[0].unsqueeze(dim), pair[1].unsqueeze(dim)


def _dim_size(x: Tensor, dim: int) -> int | SymInt:
    return x.shape[dim] if x.dim() > 0 else 1


def _kthvalue(x: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> _Pair:
    return _with_result_shape(_select_at(_stable_sort(x, dim), dim, k - 1), x, dim, keepdim)


def _median_dim(x: Tensor, dim: int, keepdim: bool = False) -> _Pair:
    """Return the lower median; NaN if an element is NaN, because NaN is sorted last."""
    ordered = _stable_sort(x, dim)
    value, place = _select_at(ordered, dim, (_dim_size(x, dim) - 1) // 2)
    if x.is_floating_point():
        last, last_place = _select_at(ordered, dim, _dim_size(x, dim) - 1)
        is_nan = torch.isnan(last)
        value, place = torch.where(is_nan, last, value), torch.where(is_nan, last_place, place)
    return _with_result_shape((value, place), x, dim, keepdim)


def _nanmedian_dim(x: Tensor, dim: int, keepdim: bool = False) -> _Pair:
    if not x.is_floating_point():
        return _median_dim(x, dim, keepdim)
    numbers = torch.logical_not(torch.isnan(x)).to(torch.int64).sum(dim)
    middle = torch.div(numbers - 1, 2, rounding_mode="trunc")  # 0 for no numbers
    return _with_result_shape(_gather_at(_stable_sort(x, dim), dim, middle), x, dim, keepdim)


def _median(x: Tensor) -> Tensor:
    flat = x.reshape(-1)
    if _has_elements(flat):
        return _median_dim(flat, 0)[0]
    ordered, count = _ordered_after_default(flat), flat.shape[0]
    value = ordered.select(0, (count + 1) // 2)
    if x.is_floating_point():
        largest = ordered.select(0, count)
        value = torch.where(torch.isnan(largest), largest, value)
    return value


def _nanmedian(x: Tensor) -> Tensor:
    flat = x.reshape(-1)
    if _has_elements(flat):
        return _nanmedian_dim(flat, 0)[0]
    if not x.is_floating_point():
        return _median(x)
    numbers = torch.logical_not(torch.isnan(flat)).to(torch.int64).sum(0, keepdim=True)
    middle = torch.div(numbers + 1, 2, rounding_mode="floor")
    return _ordered_after_default(flat).gather(0, middle).squeeze(0)


def _has_elements(flat: Tensor) -> bool:
    """Return true if the size is static and not 0.

    Dynamic sizes are excluded, because torch assumes that they are at least 2.
    """
    return isinstance(flat.shape[0], int) and flat.shape[0] > 0


def _ordered_after_default(flat: Tensor) -> Tensor:
    """Sort n elements, and prepend the median of no elements.

    The lower median is at (n + 1) // 2, even for n = 0.
    """
    ordered = _stable_sort(flat, 0)[0]
    return torch.cat([ordered.new_full((1,), _median_of_nothing(flat.dtype)), ordered])


def _median_of_nothing(dtype: torch.dtype) -> float:
    """Return NaN; for integers, NaN as eager PyTorch converts it on x86."""
    if dtype.is_floating_point:
        return math.nan
    return torch.iinfo(dtype).min if dtype in (torch.int32, torch.int64) else int(dtype is torch.bool)


def _mode(x: Tensor, dim: int = -1, keepdim: bool = False) -> _Pair:
    """Return the smallest of the most frequent elements, and its last index."""
    if x.dim() == 0:
        return x.clone(), torch.zeros_like(x, dtype=torch.int64)
    values, places = _stable_sort(x.movedim(dim, -1), -1)
    values = values.contiguous()
    ends = torch.searchsorted(values, values, right=True)
    begins = torch.searchsorted(values, values)
    most = torch.argmax(ends - begins, dim=-1, keepdim=True)
    pair = (values, places)
    value = _gather_at(pair, -1, most.squeeze(-1))[0]
    place = _gather_at(pair, -1, (ends.gather(-1, most) - 1).squeeze(-1))[1]
    return _with_result_shape((value, place), x, dim, keepdim)


def _bucketize(x: Tensor, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Tensor:
    dtype = torch.promote_types(x.dtype, boundaries.dtype)
    return torch.searchsorted(boundaries.to(dtype), x.to(dtype), out_int32=out_int32, right=right)


def _searchsorted(sequence: Tensor, x: Tensor, **options: Any) -> Any:
    """Convert both operands to the dtype in which the operator compares them."""
    if sequence.dtype == x.dtype:
        return NotImplemented
    dtype = torch.promote_types(x.dtype, sequence.dtype)
    return torch.searchsorted(sequence.to(dtype), x.to(dtype), **options)


ORDERING: Mapping[OpOverload, Callable[..., Any]] = {
    _ATEN.bucketize.Tensor: _bucketize,
    _ATEN.kthvalue.default: _kthvalue,
    _ATEN.median.default: _median,
    _ATEN.median.dim: _median_dim,
    _ATEN.mode.default: _mode,
    _ATEN.nanmedian.default: _nanmedian,
    _ATEN.nanmedian.dim: _nanmedian_dim,
    _ATEN.searchsorted.Tensor: _searchsorted,
}
