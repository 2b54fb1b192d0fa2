"""Decomposes linear algebra into matrix factorizations.

Kernels check for singular matrices, as PyTorch does.
"""

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload

from exir.torch_versions import cholesky_operators

_ATEN = torch.ops.aten
_solve_triangular = _ATEN.linalg_solve_triangular.default


def _inverse(a: Tensor) -> Tensor:
    return _ATEN.linalg_inv_ex.default(a, check_errors=True)[0]


def _solve(a: Tensor, b: Tensor, *, left: bool = True) -> Tensor:
    return _ATEN._linalg_solve_ex.default(a, b, left=left, check_errors=True)[0]


def _cholesky(x: Tensor, upper: bool = False) -> Tensor:
    return _ATEN.linalg_cholesky_ex.default(x, upper=upper, check_errors=True)[0]


def _cholesky_solve(b: Tensor, factor: Tensor, upper: bool = False) -> Tensor:
    lower = factor.mT if upper else factor
    half = _solve_triangular(lower, b, upper=False)
    return _solve_triangular(lower.mT, half, upper=True)


def _cholesky_inverse(factor: Tensor, upper: bool = False) -> Tensor:
    unit = torch.eye(factor.shape[-1], dtype=factor.dtype).expand(factor.shape)
    return _cholesky_solve(unit, factor, upper)


def _triangular_solve(
    b: Tensor, a: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> tuple[Tensor, Tensor]:
    matrix = a.mT if transpose else a
    solution = _solve_triangular(matrix, b, upper=upper != transpose, unitriangular=unitriangular)
    return solution, a.clone()


def _lu_factor(a: Tensor, *, pivot: bool = True) -> tuple[Tensor, Tensor]:
    factors, pivots, _ = _ATEN.linalg_lu_factor_ex.default(a, pivot=pivot, check_errors=True)
    return factors, pivots


def _lu(a: Tensor, *, pivot: bool = True) -> tuple[Tensor, Tensor, Tensor]:
    factors, pivots, _ = _ATEN.linalg_lu_factor_ex.default(a, pivot=pivot)
    return _ATEN.lu_unpack.default(factors, pivots)


def _qr(a: Tensor, mode: str = "reduced") -> tuple[Tensor, Tensor]:
    reflections, tau = torch.geqrf(a)
    rows, columns = a.shape[-2:]
    least = min(rows, columns)
    if mode == "complete":
        more = a.new_zeros([*a.shape[:-1], rows - least])
        vectors = torch.cat([reflections[..., :least], more], -1)
        return torch.linalg.householder_product(vectors, tau), torch.triu(reflections)
    r = torch.triu(reflections[..., :least, :])
    if mode == "r":
        return a.new_empty([0]), r
    return torch.linalg.householder_product(reflections[..., :least], tau), r


def _order_sign(pivots: Tensor, dtype: torch.dtype) -> Tensor:
    """Return the permutation's sign: -1 to the power of the number of row exchanges."""
    identity = torch.arange(1, pivots.shape[-1] + 1, dtype=pivots.dtype)
    return (1 - 2 * (pivots != identity).to(dtype)).prod(-1)


def _determinant(a: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    factors, pivots, _ = _ATEN.linalg_lu_factor_ex.default(a)
    diagonal = factors.diagonal(0, -2, -1)
    return diagonal.prod(-1) * _order_sign(pivots, a.dtype), factors, pivots


def _log_determinant(a: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    factors, pivots, _ = _ATEN.linalg_lu_factor_ex.default(a)
    diagonal = factors.diagonal(0, -2, -1)
    sign = torch.sign(diagonal).prod(-1) * _order_sign(pivots, a.dtype)
    return sign, torch.log(torch.abs(diagonal)).sum(-1), factors, pivots


def _rank_tolerance(x: Tensor, largest: Tensor, atol: Tensor | None, rtol: Tensor | None) -> Tensor:
    """Return the threshold below which singular values count as 0."""
    usual = torch.finfo(x.dtype).eps * max(x.shape[-2:])
    absolute = torch.zeros_like(largest) if atol is None else atol.unsqueeze(-1)
    if rtol is not None:
        return torch.maximum(absolute, rtol.unsqueeze(-1) * largest)
    return torch.where(absolute > 0, absolute, usual * largest)


def _truncated_reciprocals(values: Tensor, tolerance: Tensor) -> Tensor:
    return torch.where(torch.abs(values) > tolerance, values.reciprocal(), torch.zeros_like(values))


def _pseudoinverse(
    x: Tensor, *, atol: Tensor | None = None, rtol: Tensor | None = None, hermitian: bool = False
) -> Tensor:
    if x.numel() == 0:
        return x.new_zeros([*x.shape[:-2], x.shape[-1], x.shape[-2]])
    if hermitian:
        values, vectors = _ATEN._linalg_eigh.default(x)
        largest = torch.abs(values).amax(-1, keepdim=True)
        inverse = _truncated_reciprocals(values, _rank_tolerance(x, largest, atol, rtol))
        return (vectors * inverse.unsqueeze(-2)) @ vectors.mT
    u, values, vh = _ATEN._linalg_svd.default(x)
    inverse = _truncated_reciprocals(values, _rank_tolerance(x, values[..., :1], atol, rtol))
    return (vh.mT * inverse.unsqueeze(-2)) @ u.mT


def _power(x: Tensor, n: int) -> Tensor:
    return torch.linalg.matrix_power(_inverse(x), -n) if n < 0 else NotImplemented


def _tensor_inverse(x: Tensor, ind: int = 2) -> Tensor:
    first, second = x.shape[:ind], x.shape[ind:]
    return _inverse(x.reshape([prod(first), prod(second)])).reshape([*second, *first])


def _tensor_solve(a: Tensor, b: Tensor, dims: Sequence[int] | None = None) -> Tensor:
    """Solve for a tensor; `dims` are first moved to the end of `a`."""
    matrix = a if dims is None else a.movedim(list(dims), list(range(a.dim() - len(dims), a.dim())))
    shape = matrix.shape[b.dim() :]
    return _solve(matrix.reshape([b.numel(), prod(shape)]), b.reshape(-1)).reshape(shape)


LINEAR_ALGEBRA: Mapping[OpOverload, Callable[..., Any]] = {
    _ATEN._linalg_det.default: _determinant,
    _ATEN._linalg_slogdet.default: _log_determinant,
    **dict.fromkeys(cholesky_operators(), _cholesky),
    _ATEN.cholesky_inverse.default: _cholesky_inverse,
    _ATEN.cholesky_solve.default: _cholesky_solve,
    _ATEN.inverse.default: _inverse,
    _ATEN.linalg_cholesky.default: _cholesky,
    _ATEN.linalg_inv.default: _inverse,
    _ATEN.linalg_lu.default: _lu,
    _ATEN.linalg_lu_factor.default: _lu_factor,
    _ATEN.linalg_matrix_power.default: _power,
    _ATEN.linalg_pinv.atol_rtol_tensor: _pseudoinverse,
    _ATEN.linalg_qr.default: _qr,
    _ATEN.linalg_solve.default: _solve,
    _ATEN.linalg_tensorinv.default: _tensor_inverse,
    _ATEN.linalg_tensorsolve.default: _tensor_solve,
    _ATEN.triangular_solve.default: _triangular_solve,
}
