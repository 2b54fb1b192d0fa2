"""Decomposes random operators into uniform values from [0, 1)."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload

_ATEN = torch.ops.aten
_Size = int  # or a SymInt


def _rand_like(x: Tensor, *, dtype: torch.dtype | None = None, **options: Any) -> Tensor:
    return torch.rand(x.shape, dtype=dtype or x.dtype)


def _randn_like(x: Tensor, *, dtype: torch.dtype | None = None, **options: Any) -> Tensor:
    return torch.randn(x.shape, dtype=dtype or x.dtype)


def _randint_between(
    low: _Size, high: _Size, size: Sequence[_Size], *, dtype: torch.dtype | None = None, **options: Any
) -> Tensor:
    drawn = torch.mul(torch.rand(size, dtype=torch.float64), high - low)
    return torch.add(torch.floor(drawn), low).to(dtype or torch.int64)


def _randint(high: _Size, size: Sequence[_Size], **options: Any) -> Tensor:
    return _randint_between(0, high, size, **options)


def _randint_like_between(
    x: Tensor, low: _Size, high: _Size, *, dtype: torch.dtype | None = None, **options: Any
) -> Tensor:
    return _randint_between(low, high, x.shape, dtype=dtype or x.dtype)


def _randint_like(x: Tensor, high: _Size, **options: Any) -> Tensor:
    return _randint_like_between(x, 0, high, **options)


def _randperm(count: _Size, *, dtype: torch.dtype | None = None, **options: Any) -> Tensor:
    """Return a random permutation: the sort order of `count` random values."""
    return torch.argsort(torch.rand([count], dtype=torch.float64)).to(dtype or torch.int64)


def _uniform(x: Tensor, low: float = 0.0, high: float = 1.0, generator: Any = None) -> Tensor:
    return torch.rand(x.shape, dtype=x.dtype) * (high - low) + low


def _normal(x: Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Tensor:
    return torch.randn(x.shape, dtype=x.dtype) * std + mean


def _normal_of_size(mean: float, std: float, size: Sequence[_Size], **options: Any) -> Tensor:
    return torch.randn(size, dtype=options.get("dtype")) * std + mean


def _rand_of_generator(
    size: Sequence[_Size], *, dtype: torch.dtype | None = None, **options: Any
) -> Tensor:
    return torch.rand(size, dtype=dtype)


def _randn_of_generator(
    size: Sequence[_Size], *, dtype: torch.dtype | None = None, **options: Any
) -> Tensor:
    return torch.randn(size, dtype=dtype)


def _exponential(x: Tensor, rate: float = 1.0, generator: Any = None) -> Tensor:
    return torch.log1p(-torch.rand(x.shape, dtype=x.dtype)) / -rate


def _geometric(x: Tensor, chance: float, generator: Any = None) -> Tensor:
    """Draw the number of Bernoulli trials up to the first success."""
    drawn = torch.rand(x.shape, dtype=torch.float64)
    return torch.ceil(torch.log1p(-drawn) / math.log1p(-chance)).clamp(min=1).to(x.dtype)


def _cauchy(x: Tensor, median: float = 0.0, sigma: float = 1.0, generator: Any = None) -> Tensor:
    drawn = torch.rand(x.shape, dtype=torch.float64)
    return (torch.tan((drawn - 0.5) * math.pi) * sigma + median).to(x.dtype)


def _multinomial(
    weights: Tensor, count: _Size, replacement: bool = False, generator: Any = None
) -> Tensor:
    """Draw indices with probability proportional to `weights`.

    With replacement, uniform values are located in the cumulative sums. Without replacement, the result
    is the `count` smallest of independent exponential variables, whose rates are the weights.
    """
    if not replacement:
        waits = -torch.log1p(-torch.rand(weights.shape, dtype=torch.float64)) / weights.double()
        return torch.topk(waits, count, dim=-1, largest=False).indices
    sums = torch.cumsum(weights.double(), -1)
    drawn = torch.rand([*weights.shape[:-1], count], dtype=torch.float64)
    places = torch.searchsorted(sums, drawn * sums[..., -1:], right=True)
    return torch.clamp(places, max=weights.shape[-1] - 1)


DRAWING: Mapping[OpOverload, Callable[..., Any]] = {
    _ATEN.cauchy.default: _cauchy,
    _ATEN.exponential.default: _exponential,
    _ATEN.geometric.default: _geometric,
    _ATEN.multinomial.default: _multinomial,
    _ATEN.normal.float_float: _normal_of_size,
    _ATEN.normal_functional.default: _normal,
    _ATEN.rand.generator: _rand_of_generator,
    _ATEN.rand_like.default: _rand_like,
    _ATEN.randint.default: _randint,
    _ATEN.randint.generator: _randint,
    _ATEN.randint.low: _randint_between,
    _ATEN.randint.low_generator: _randint_between,
    _ATEN.randint_like.default: _randint_like,
    _ATEN.randint_like.low_dtype: _randint_like_between,
    _ATEN.randn.generator: _randn_of_generator,
    _ATEN.randn_like.default: _randn_like,
    _ATEN.randperm.default: _randperm,
    _ATEN.randperm.generator: _randperm,
    _ATEN.uniform.default: _uniform,
}
