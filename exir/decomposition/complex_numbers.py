"""Decomposes complex operators into operators on real and imaginary parts.

Fourier transforms become transforms along one dimension.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import SymInt, Tensor
from torch._ops import OpOverload
from torch.types import Number

from exir.decomposition.arithmetic import add_scaled

_ATEN = torch.ops.aten


def _real_and_imaginary(x: Tensor) -> tuple[Tensor, Tensor]:
    both = _ATEN.view_as_real_copy.default(x)
    return both.select(-1, 0), both.select(-1, 1)


def _join_parts(real: Tensor, imaginary: Tensor) -> Tensor:
    """Build a complex tensor with promoted dtypes and broadcast shapes.

    `torch.complex` does neither.
    """
    return _ATEN.view_as_complex_copy.default(torch.stack(torch.broadcast_tensors(real, imaginary), -1))


def _polar(length: Tensor, angle: Tensor) -> Tensor:
    return _join_parts(length * torch.cos(angle), length * torch.sin(angle))


def _abs(x: Tensor) -> Any:
    return torch.hypot(*_real_and_imaginary(x)) if x.is_complex() else NotImplemented


def _negative(x: Tensor) -> Any:
    if not x.is_complex():
        return NotImplemented
    return _ATEN.view_as_complex_copy.default(-_ATEN.view_as_real_copy.default(x))


def _exp(x: Tensor) -> Any:
    if not x.is_complex():
        return NotImplemented
    real, imaginary = _real_and_imaginary(x)
    return _polar(torch.exp(real), imaginary)


def _complex_matmul(multiply: Callable[[Tensor, Tensor], Tensor]) -> Callable[[Tensor, Tensor], Any]:
    """Decompose a complex matrix multiplication into four real ones."""

    def multiplied(a: Tensor, b: Tensor) -> Any:
        if not a.is_complex():
            return NotImplemented
        (a_real, a_imaginary), (b_real, b_imaginary) = _real_and_imaginary(a), _real_and_imaginary(b)
        real = multiply(a_real, b_real) - multiply(a_imaginary, b_imaginary)
        return _join_parts(real, multiply(a_real, b_imaginary) + multiply(a_imaginary, b_real))

    return multiplied


def _sum_of_product(x: Tensor, a: Tensor, b: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Any:
    return add_scaled(x, beta, torch.mm(a, b), alpha) if x.is_complex() else NotImplemented


def _complex_full(
    size: Sequence[int | SymInt], value: Number, *, dtype: torch.dtype | None = None, **_: Any
) -> Any:
    if not isinstance(value, complex) and not (dtype and dtype.is_complex):
        return NotImplemented
    real = (dtype or torch.complex64).to_real()
    parts = complex(value)
    return _join_parts(*(torch.full(size, part, dtype=real) for part in (parts.real, parts.imag)))


def _filled_like(x: Tensor, value: Number, *, dtype: torch.dtype | None = None, **_: Any) -> Any:
    return _complex_full(x.shape, value, dtype=dtype or x.dtype)


def _complex_scalar(value: Number, *, dtype: torch.dtype | None = None, **_: Any) -> Any:
    return _complex_full([], value, dtype=dtype)


def _conjugate(x: Tensor) -> Any:
    return _ATEN._conj_physical.default(x) if x.is_complex() else x.clone()


def _complex_pad(x: Tensor, padding: Sequence[int | SymInt], value: Number = 0) -> Any:
    """Pad the real and the imaginary part.

    The fill value is real, so the imaginary part is padded with zeros.
    """
    if not x.is_complex():
        return NotImplemented
    real, imaginary = (
        _ATEN.constant_pad_nd.default(part, padding, fill)
        for part, fill in zip(_real_and_imaginary(x), (value, 0))
    )
    return _join_parts(real, imaginary)


def _to_real(x: Tensor, dims: Sequence[int], normalization: int, last_dim_size: int | SymInt) -> Any:
    """Split a transform of several dimensions: complex along all but the last one."""
    if len(dims) == 1:
        return NotImplemented
    x = _ATEN._fft_c2c.default(x, dims[:-1], normalization, False)
    return _ATEN._fft_c2r.default(x, dims[-1:], normalization, last_dim_size)


COMPLEX_NUMBERS: Mapping[OpOverload, Callable[..., Any]] = {
    _ATEN._conj.default: _conjugate,
    _ATEN._fft_c2r.default: _to_real,
    _ATEN._neg_view.default: torch.neg,
    _ATEN.abs.default: _abs,
    _ATEN.addmm.default: _sum_of_product,
    _ATEN.bmm.default: _complex_matmul(_ATEN.bmm.default),
    _ATEN.complex.default: _join_parts,
    _ATEN.conj_physical.default: _conjugate,
    _ATEN.constant_pad_nd.default: _complex_pad,
    _ATEN.exp.default: _exp,
    _ATEN.full.default: _complex_full,
    _ATEN.full_like.default: _filled_like,
    _ATEN.mm.default: _complex_matmul(_ATEN.mm.default),
    _ATEN.neg.default: _negative,
    _ATEN.polar.default: _polar,
    _ATEN.scalar_tensor.default: _complex_scalar,
}
