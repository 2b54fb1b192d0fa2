"""Decompositions into simpler operators that torch does not provide."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.fx.experimental.symbolic_shapes import statically_known_true
from torch.types import Number

from exir.error import UnsupportedOperatorError

_ATEN = torch.ops.aten


def _round_to(x: Tensor, *, decimals: int) -> Tensor:
    power = 10.0 ** abs(decimals)
    if decimals == 0:
        return torch.round(x)
    return torch.round(x * power) / power if decimals > 0 else torch.round(x / power) * power


def _ldexp(x: Tensor, exponent: Tensor) -> Tensor:
    return x * torch.pow(2.0, exponent)


def _int_mm(a: Tensor, b: Tensor) -> Tensor:
    """Multiply int8 matrices with int32 accumulation."""
    return torch.mm(a.to(torch.int32), b.to(torch.int32))


def _lcm(a: Tensor, b: Tensor) -> Tensor:
    """Return the least common multiple, or 0 if an operand is 0."""
    divisor = torch.gcd(a, b)
    quotient = torch.div(a, divisor.clamp(min=1), rounding_mode="trunc")
    return torch.abs(quotient * b)


def _addbmm(x: Tensor, a: Tensor, b: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """Compute one GEMM with K = batch * inner size, so that the sum is rounded once.

    The matrices `a` are concatenated along columns, and the matrices `b` along rows.
    """
    depth = a.shape[0] * a.shape[2]
    columns = a.permute(1, 0, 2).reshape(a.shape[1], depth)
    product = torch.mm(columns, b.reshape(depth, b.shape[2]))
    return add_scaled(x, beta, product, alpha)


def add_scaled(x: Tensor, beta: Number, product: Tensor, alpha: Number) -> Tensor:
    """Compute `beta * x + alpha * product`.

    As in PyTorch, a beta of 0 ignores `x`, including its NaN and infinite elements.
    """
    scaled = _scale_by(product, alpha)
    return scaled if _is_number(beta, 0) else _scale_by(x, beta) + scaled


def _scale_by(x: Tensor, factor: Number) -> Tensor:
    if _is_number(factor, 1):
        return x
    is_exact = x.is_floating_point() or x.is_complex() or isinstance(factor, torch.SymInt)
    return x * (factor if is_exact else int(factor))


def _is_number(factor: Number, number: int) -> bool:
    """Return true if a factor equals `number`; false for a symbolic factor.

    Comparing it would specialize the size.
    """
    return not isinstance(factor, (torch.SymInt, torch.SymFloat)) and factor == number


def _addmv(x: Tensor, a: Tensor, v: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    return add_scaled(x, beta, torch.mv(a, v), alpha)


def _addmm_activation(
    x: Tensor, a: Tensor, b: Tensor, *, beta: Number = 1, alpha: Number = 1, use_gelu: bool = False
) -> Tensor:
    added = torch.addmm(x, a, b, beta=beta, alpha=alpha)
    return torch.nn.functional.gelu(added, approximate="tanh") if use_gelu else torch.relu(added)


def _index_select(x: Tensor, dim: int, index: Tensor) -> Any:
    """Treat a zero-dimensional tensor as a tensor of one element."""
    if x.dim() > 0:
        return NotImplemented
    return torch.index_select(x.reshape(1), 0, index.reshape(1)).reshape(())


def _angle(x: Tensor) -> Any:
    """Return the angle of each element; for real elements, 0, or pi if negative."""
    if x.is_complex():
        parts = _ATEN.view_as_real_copy.default(x)
        return torch.atan2(parts.select(-1, 1), parts.select(-1, 0))
    if not x.is_floating_point():
        return torch.where(x < 0, math.pi, 0.0)
    pi = torch.full([], math.pi, dtype=x.dtype)
    return torch.where(torch.isnan(x), x, torch.where(x < 0, pi, torch.zeros_like(pi)))


def _convert_dtype(x: Tensor, dtype: torch.dtype) -> Tensor:
    """Implement `prims.convert_element_type` for torch's float16 decompositions."""
    return x.to(dtype)


def _compute_floating(x: Tensor) -> Tensor:
    return x if x.is_floating_point() else x.to(torch.get_default_dtype())


def _polygamma(n: int, x: Tensor) -> Tensor:
    """Return the n-th derivative of digamma."""
    if n == 0:
        return torch.digamma(x)
    x = _compute_floating(x)
    order = torch.full([], n + 1, dtype=x.dtype)
    return torch.special.zeta(order, x) * ((-1.0) ** (n + 1) * math.gamma(n + 1))


def _spherical_bessel(x: Tensor) -> Tensor:
    """Return sin(x) / x, with its limits at 0 and infinity."""
    x = _compute_floating(x)
    quotient = torch.where(x == 0, 1, torch.sin(x) / x)
    return torch.where(torch.isinf(x), 0, quotient)


def _mean(x: Tensor, *, dtype: torch.dtype | None = None) -> Any:
    """Compute the mean of integers in the requested dtype."""
    return NotImplemented if dtype is None or x.is_floating_point() else x.to(dtype).mean()


def _mean_along(
    x: Tensor, dim: list[int] | None, keepdim: bool = False, *, dtype: torch.dtype | None = None
) -> Any:
    if dtype is None or x.is_floating_point():
        return NotImplemented
    return x.to(dtype).mean(None if dim is None else list(dim), keepdim)


def _dist(x: Tensor, y: Tensor, p: Number = 2) -> Tensor:
    return torch.linalg.vector_norm(x - y, p)


def _vector_norm(
    x: Tensor,
    ord: Number = 2,  # noqa: A002 (the operator's name)
    dim: Sequence[int] | int | None = None,
    keepdim: bool = False,
    *,
    dtype: torch.dtype | None = None,
) -> Tensor:
    """Decompose as torch does, unless the order is a symbolic size.

    For a symbolic order, torch would choose a formula for the size of the example input.
    """
    if not isinstance(ord, (torch.SymInt, torch.SymFloat)):
        (decomposed,) = torch._decomp.get_decompositions([_ATEN.linalg_vector_norm.default]).values()
        return decomposed(x, ord, dim, keepdim, dtype=dtype)
    if not statically_known_true(ord != 0):
        raise UnsupportedOperatorError(
            f"the order of a norm is the size {ord}, which can be 0; use a constant, or a size that is "
            "never 0"
        )
    dims = list(range(x.dim())) if dim is None else dim
    powers = torch.pow(torch.abs(x if dtype is None else x.to(dtype)), ord)
    return torch.pow(torch.sum(powers, dims, keepdim), 1 / ord)


def _trilinear(
    a: Tensor,
    b: Tensor,
    c: Tensor,
    expand_a: Sequence[int],
    expand_b: Sequence[int],
    expand_c: Sequence[int],
    summed: Sequence[int],
    unroll_dim: int = 1,
) -> Tensor:
    for dim in expand_a:
        a = a.unsqueeze(dim)
    for dim in expand_b:
        b = b.unsqueeze(dim)
    for dim in expand_c:
        c = c.unsqueeze(dim)
    return (a * b * c).sum(list(summed), dtype=a.dtype)


def _empty(size: Sequence[int], order: Sequence[int], **options: Any) -> Tensor:
    """Create an uninitialized tensor; the order of its elements does not matter."""
    return torch.empty(size, dtype=options.get("dtype"))


def _new_empty(x: Tensor, size: Sequence[int], stride: Sequence[int], **options: Any) -> Tensor:
    return _empty(size, stride, dtype=options.get("dtype") or x.dtype)


def _remainder_of_number(number: Number, x: Tensor) -> Tensor:
    return torch.remainder(torch.full((), number, dtype=torch.result_type(x, number)), x)


def _rrelu(
    x: Tensor,
    noise: Tensor,
    lower: Number = 0.125,
    upper: Number = 1.0 / 3,
    training: bool = False,
    generator: Any = None,
) -> Any:
    """Compute inference as a leaky ReLU with the mean slope."""
    if training:
        return NotImplemented
    return torch.nn.functional.leaky_relu(x, float((lower + upper) / 2)), noise


def _left_shift_of_number(number: Number, x: Tensor) -> Tensor:
    return torch.bitwise_left_shift(torch.full((), number, dtype=x.dtype), x)


def _right_shift_of_number(number: Number, x: Tensor) -> Tensor:
    return torch.bitwise_right_shift(torch.full((), number, dtype=x.dtype), x)


def _frexp(x: Tensor) -> tuple[Tensor, Tensor]:
    """Compute the mantissa and the exponent exactly: every factor is a power of 2.

    The estimated exponent is corrected by one in either direction.
    """
    wide = x.double()
    is_plain = torch.isfinite(wide) & (wide != 0)
    plain = torch.where(is_plain, wide, 1.0)
    exponent = torch.floor(torch.log2(torch.abs(plain))) + 1
    half = torch.floor(exponent / 2)
    mantissa = plain * torch.exp2(-half) * torch.exp2(half - exponent)
    is_large, is_small = torch.abs(mantissa) >= 1, torch.abs(mantissa) < 0.5
    exponent = exponent + torch.where(is_large, 1.0, 0.0) - torch.where(is_small, 1.0, 0.0)
    mantissa = mantissa * torch.where(is_large, 0.5, 1.0) * torch.where(is_small, 2.0, 1.0)
    exponent = torch.where(is_plain, exponent, 0.0)
    return torch.where(is_plain, mantissa, wide).to(x.dtype), exponent.to(torch.int32)


def _logsumexp(x: Tensor, dim: Sequence[int], keepdim: bool = False) -> Tensor:
    """Use torch's formula, with -inf padding along dynamic dimensions.

    Dynamic sizes can be 0, and `amax` is undefined there. The padding adds an element.
    """
    rank = x.dim()
    dims = sorted(axis % rank for axis in dim) if rank and len(dim) else list(range(rank))
    if not any(isinstance(x.shape[axis], torch.SymInt) for axis in dims) or not x.is_floating_point():
        return torch._refs.logsumexp(x, dim, keepdim)
    pads = [0] * (2 * x.dim())
    for axis in dims:
        pads[2 * (x.dim() - 1 - axis)] = int(isinstance(x.shape[axis], torch.SymInt))
    largest = torch.amax(torch.constant_pad_nd(x, pads, -math.inf), dims, keepdim=True)
    largest = torch.masked_fill(largest, largest.abs() == math.inf, 0)
    total = torch.log(torch.sum(torch.exp(x - largest), dims, keepdim))
    return total + (largest if keepdim else torch.squeeze(largest, dims))


ARITHMETIC: Mapping[OpOverload, Callable[..., Any]] = {
    _ATEN._addmm_activation.default: _addmm_activation,
    _ATEN._int_mm.default: _int_mm,
    _ATEN._trilinear.default: _trilinear,
    _ATEN.addbmm.default: _addbmm,
    _ATEN.addmv.default: _addmv,
    _ATEN.angle.default: _angle,
    _ATEN.dist.default: _dist,
    _ATEN.linalg_vector_norm.default: _vector_norm,
    _ATEN.empty_permuted.default: _empty,
    _ATEN.empty_strided.default: _empty,
    _ATEN.index_select.default: _index_select,
    _ATEN.bitwise_left_shift.Scalar_Tensor: _left_shift_of_number,
    _ATEN.bitwise_right_shift.Scalar_Tensor: _right_shift_of_number,
    _ATEN.frexp.Tensor: _frexp,
    _ATEN.lcm.default: _lcm,
    _ATEN.new_empty_strided.default: _new_empty,
    _ATEN.polygamma.default: _polygamma,
    _ATEN.special_modified_bessel_i0.default: _ATEN.i0.default,
    _ATEN.special_modified_bessel_i1.default: _ATEN.special_i1.default,
    _ATEN.special_spherical_bessel_j0.default: _spherical_bessel,
    _ATEN.ldexp.Tensor: _ldexp,
    _ATEN.logsumexp.default: _logsumexp,
    _ATEN.mean.default: _mean,
    _ATEN.mean.dim: _mean_along,
    _ATEN.remainder.Scalar_Tensor: _remainder_of_number,
    _ATEN.round.decimals: _round_to,
    _ATEN.rrelu_with_noise_functional.default: _rrelu,
    torch.ops.prims.convert_element_type.default: _convert_dtype,
}
