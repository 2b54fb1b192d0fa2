"""Arguments of linear algebra operators: invertible matrices."""

from __future__ import annotations

import torch

from kernels.testing.sweep_case import Case, Maker, in_dim_order

SIZE = 3


def _square(case: Case, name: str) -> torch.Tensor:
    """Return symmetric positive definite matrices, in the dim order of the case."""
    x = case.tensor(name, (*case.shape[:-2], SIZE, SIZE))
    return in_dim_order(x @ x.mT + torch.eye(SIZE, dtype=x.dtype), case.order)


def _with_flags(name: str, *flags: object) -> Maker:
    return lambda case: [_square(case, name), *flags]


def _system(first: str, second: str, *flags: bool) -> Maker:
    def make(case: Case) -> list[object]:
        return [_square(case, first), case.tensor(second, (*case.shape[:-2], SIZE, 2)), *flags]

    return make


def _factored(case: Case, name: str) -> tuple[torch.Tensor, torch.Tensor]:
    factors, pivots, _ = torch.linalg.lu_factor_ex(_square(case, name))
    return in_dim_order(factors, case.order), pivots


def _lu_solve(case: Case) -> list[object]:
    return [*_factored(case, "LU"), case.tensor("B", (*case.shape[:-2], SIZE, 2)), True, False]


def _reflected(case: Case, name: str) -> list[object]:
    vectors, tau = torch.geqrf(case.tensor(name))
    if vectors.shape[-1] > vectors.shape[-2]:
        vectors = vectors[..., : vectors.shape[-2]].contiguous()
    return [in_dim_order(vectors, case.order), tau]


def _reflected_other(case: Case) -> list[object]:
    return [*_reflected(case, "self"), case.tensor("input3", (*case.shape[:-1], 2)), True, False]


MAKERS: dict[str, Maker] = {
    "aten::_linalg_eigh.eigenvalues": _with_flags("A", "L", False),
    "aten::_linalg_solve_ex.result": _system("A", "B", True, False),
    "aten::_linalg_svd.U": lambda case: [case.tensor("A"), False, False, None],
    "aten::geqrf.a": lambda case: [case.tensor("self")],
    "aten::linalg_cholesky_ex.L": _with_flags("self", False, False),
    "aten::linalg_householder_product.out": lambda case: _reflected(case, "input"),
    "aten::linalg_inv_ex.inverse": _with_flags("A", False),
    "aten::linalg_lu_factor_ex.out": _with_flags("A", True, False),
    "aten::linalg_lu_solve.out": _lu_solve,
    "aten::linalg_matrix_exp.out": _with_flags("self"),
    "aten::linalg_solve_triangular.out": _system("self", "B", True, True, False),
    "aten::lu_unpack.out": lambda case: [*_factored(case, "LU_data"), True, True],
    "aten::ormqr.out": _reflected_other,
}
