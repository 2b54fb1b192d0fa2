"""Evaluates constant operators with the same bits on every machine.

torch's loops sum in an order that depends on the vector width, and compute roots from hardware
estimates. Here, sums are pairwise in float64 and elementwise, so that IEEE 754 defines each operation.
The result is rounded once.
"""

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

import numpy
import torch
from torch import Tensor
from torch._ops import OpOverload

from exir.operators.properties_of import properties_of

_ATEN = torch.ops.aten
# Exponents that need only multiplication, division and square roots.
_EXPONENTS = (-1, -0.5, 0.5, 1, 2, 3)


def is_exact(op: OpOverload, args: Sequence[Any]) -> bool:
    """Return true if `exact` supports `op` with these arguments."""
    is_power = op is _ATEN.pow.Tensor_Scalar
    return properties_of(op).foldable and (not is_power or args[1] in _EXPONENTS)


def exact(op: OpOverload, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Evaluate `op` on constants, with the same bits on every machine."""
    with torch.no_grad():
        return _OWN.get(op, op)(*args, **kwargs)


def square_root(values: Tensor) -> Tensor:
    """Compute `torch.sqrt(values)`, correctly rounded; in float32 for integers.

    `torch.sqrt` runs MKL's vector loops, which refine a hardware estimate. The estimate differs
    between vendors, and one result in seven has a wrong last bit. NumPy uses the processor's square
    root instruction, which IEEE 754 defines exactly.
    """
    wide = values.detach() if values.dtype == torch.float64 else values.detach().float()
    roots = torch.empty_like(wide)
    with numpy.errstate(invalid="ignore"):
        numpy.sqrt(wide.numpy(), out=roots.numpy())
    return roots.to(values.dtype) if values.is_floating_point() else roots


def _add_exactly(x: Tensor, other: Any, alpha: float = 1) -> Tensor:
    """Add without fused multiply-add."""
    return torch.add(x, other if alpha == 1 else torch.mul(other, alpha))


def _subtract_exactly(x: Tensor, other: Any, alpha: float = 1) -> Tensor:
    return torch.sub(x, other if alpha == 1 else torch.mul(other, alpha))


def _power_exactly(x: Tensor, exponent: float) -> Tensor:
    if exponent in (-0.5, 0.5):
        return _reciprocal_root(x) if exponent < 0 else square_root(x)
    integer = int(exponent)
    factors = [x] * abs(integer)
    product = factors[0] if len(factors) == 1 else torch.mul(*factors[:2])
    for factor in factors[2:]:
        product = product * factor
    return torch.ones_like(product) / product if integer < 0 else product


def _reciprocal_root(x: Tensor) -> Tensor:
    return (1 / square_root(_to_float64(x))).to(_compute_floating(x))


def _sum_exactly(
    x: Tensor,
    dims: Sequence[int] | None = None,
    keepdim: bool = False,
    *,
    dtype: torch.dtype | None = None,
) -> Tensor:
    x = _convert_dtype(x, dtype)
    if not x.is_floating_point():
        total: Tensor = _ATEN.sum.dim_IntList(x, dims, keepdim, dtype=dtype)
        return total
    return _pairwise_sum(_to_float64(x), dims, keepdim).to(x.dtype)


def _mean_exactly(
    x: Tensor,
    dims: Sequence[int] | None = None,
    keepdim: bool = False,
    *,
    dtype: torch.dtype | None = None,
) -> Tensor:
    x = _convert_dtype(x, dtype)
    return _compute_mean(_to_float64(x), dims, keepdim, 0).to(x.dtype)


def _variance_exactly(
    x: Tensor, dims: Sequence[int] | None = None, *, correction: float | None = 1, keepdim: bool = False
) -> Tensor:
    wide = _to_float64(x)
    off = wide - _compute_mean(wide, dims, True, 0)
    return _compute_mean(off * off, dims, keepdim, 1 if correction is None else correction).to(x.dtype)


def _batch_norm(
    x: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    training: bool,
    momentum: float,
    epsilon: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """Normalize with the statistics of the batch."""
    wide, dims = _to_float64(x), [0, *range(2, x.dim())]
    columns = [1, -1, *[1] * (x.dim() - 2)]
    mean = _compute_mean(wide, dims, True, 0)
    off = wide - mean
    scale = 1 / square_root(_compute_mean(off * off, dims, True, 0) + epsilon)
    y = off * scale
    if weight is not None:
        y = y * _to_float64(weight).view(columns)
    if bias is not None:
        y = y + _to_float64(bias).view(columns)
    return y.to(x.dtype), mean.flatten().to(x.dtype), scale.flatten().to(x.dtype)


def _compute_mean(wide: Tensor, dims: Sequence[int] | None, keepdim: bool, correction: float) -> Tensor:
    total = _pairwise_sum(wide, dims, keepdim)
    count = wide.numel() // max(total.numel(), 1)
    return total / torch.tensor(max(count - correction, 0), dtype=torch.float64)


def _pairwise_sum(wide: Tensor, dims: Sequence[int] | None, keepdim: bool) -> Tensor:
    """Sum pairwise over `dims`, or over all dimensions if `dims` is empty."""
    summed = sorted({dim % wide.dim() for dim in dims or range(wide.dim())}) if wide.dim() else []
    kept_dims = [dim for dim in range(wide.dim()) if dim not in summed]
    count = prod(wide.shape[dim] for dim in summed)
    rows = wide.permute([*kept_dims, *summed]).reshape([*(wide.shape[dim] for dim in kept_dims), count])
    while rows.shape[-1] > 1:
        half = rows.shape[-1] // 2
        rows = torch.cat([rows[..., :half] + rows[..., half : 2 * half], rows[..., 2 * half :]], -1)
    total = rows[..., 0] if rows.shape[-1] else torch.zeros(rows.shape[:-1], dtype=torch.float64)
    return (
        total.reshape([1 if dim in summed else size for dim, size in enumerate(wide.shape)])
        if keepdim
        else total
    )


def _convert_dtype(x: Tensor, dtype: torch.dtype | None) -> Tensor:
    """Convert to `dtype` before a sum or mean."""
    return x if dtype is None else x.to(dtype)


def _to_float64(x: Tensor) -> Tensor:
    return x.double()


def _compute_floating(x: Tensor) -> torch.dtype:
    return x.dtype if x.is_floating_point() else torch.get_default_dtype()


_OWN: Mapping[OpOverload, Callable[..., Any]] = {
    _ATEN.add.Tensor: _add_exactly,
    _ATEN.sub.Tensor: _subtract_exactly,
    _ATEN.pow.Tensor_Scalar: _power_exactly,
    _ATEN.sqrt.default: square_root,
    _ATEN.rsqrt.default: _reciprocal_root,
    _ATEN.sum.dim_IntList: _sum_exactly,
    _ATEN.mean.dim: _mean_exactly,
    _ATEN.var.correction: _variance_exactly,
    _ATEN._native_batch_norm_legit.no_stats: _batch_norm,
}
