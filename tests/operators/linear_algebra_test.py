"""Compares compiled linear algebra with eager PyTorch."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from exir.cli.reporting.calls import Call
from tests.operators.compiled import assert_follows_pytorch, compile_function, run_program

torch.manual_seed(0)
X = torch.randn(2, 4, 4)
DEFINITE = X @ X.mT + torch.eye(4)
TALL = torch.randn(5, 3)
RIGHT = torch.randn(2, 4, 3)

OF_SQUARES: dict[str, Callable[[torch.Tensor], object]] = {
    "cholesky": lambda a: (torch.cholesky(a), torch.linalg.cholesky(a, upper=True)),
    "cholesky_inverse": torch.cholesky_inverse,
    "cond": lambda a: torch.linalg.cond(a),
    "det": torch.linalg.det,
    "inverse": lambda a: (torch.inverse(a), torch.linalg.inv(a), torch.linalg.inv_ex(a)),
    "logdet": torch.logdet,
    "lu": torch.linalg.lu,
    "lu_factor": lambda a: torch.linalg.lu_factor(a),
    "lu_solve": lambda a: torch.linalg.lu_solve(*torch.linalg.lu_factor(a), a),
    "matrix_exp": lambda a: torch.linalg.matrix_exp(a * 0.1),
    "matrix_power": lambda a: torch.linalg.matrix_power(a * 0.3, -3),
    "matrix_rank": torch.linalg.matrix_rank,
    "norms": lambda a: (torch.linalg.matrix_norm(a, "nuc"), torch.linalg.matrix_norm(a, -2)),
    "pinv": lambda a: torch.linalg.pinv(a),
    "pinv_hermitian": lambda a: torch.linalg.pinv(a, hermitian=True, atol=1e-6),
    "qr": lambda a: torch.linalg.qr(a, mode="complete"),
    "slogdet": torch.linalg.slogdet,
    "solve_vector": lambda a: torch.linalg.solve(a, a[..., 0]),
    "solve_right": lambda a: torch.linalg.solve(a, a.mT[:, :2], left=False),
    "spectrum": lambda a: (torch.linalg.eigvalsh(a), torch.linalg.svdvals(a)),
    "tensors": lambda a: (
        torch.linalg.tensorinv(a[0].reshape(2, 2, 4), 2),
        torch.linalg.tensorsolve(a[0].reshape(4, 2, 2), a[0, 0]),
    ),
    "triangular_solve": lambda a: (torch.triangular_solve(a, a), torch.triangular_solve(a, a, False, True, True)),
}


@pytest.mark.parametrize("name", OF_SQUARES)
def test_square_matrices_follow_pytorch(name: str) -> None:
    assert_follows_pytorch(OF_SQUARES[name], DEFINITE, atol=1e-3, rtol=1e-3)


def test_double_matrices_follow_pytorch() -> None:
    assert_follows_pytorch(
        lambda a: (*torch.linalg.slogdet(a), torch.linalg.pinv(a)), DEFINITE.double(), atol=1e-9, rtol=1e-9
    )


@pytest.mark.parametrize("a", [TALL, TALL.mT.contiguous()], ids=["tall", "wide"])
def test_other_matrices_follow_pytorch(a: torch.Tensor) -> None:
    for mode in ("reduced", "complete", "r"):
        assert_follows_pytorch(lambda x, mode=mode: torch.linalg.qr(x, mode), a)
    assert_follows_pytorch(lambda x: (torch.linalg.pinv(x), torch.pinverse(x, 0.1)), a, atol=1e-4)
    assert_follows_pytorch(torch.linalg.lu, a)


def test_systems_with_known_factors_follow_pytorch() -> None:
    factor = torch.linalg.cholesky(DEFINITE)
    assert_follows_pytorch(torch.cholesky_solve, RIGHT, factor, atol=1e-4)
    assert_follows_pytorch(
        lambda b, l: torch.cholesky_solve(b, l, upper=True), RIGHT, factor.mT.contiguous(), atol=1e-4
    )


def test_factors_reconstruct_the_matrix() -> None:
    def of_eigenvectors(a: torch.Tensor) -> torch.Tensor:
        values, vectors = torch.linalg.eigh(a)
        return (vectors * values.unsqueeze(-2)) @ vectors.mT

    def of_singular_vectors(a: torch.Tensor) -> torch.Tensor:
        u, values, vh = torch.linalg.svd(a, full_matrices=False)
        return (u * values.unsqueeze(-2)) @ vh

    assert_follows_pytorch(of_eigenvectors, DEFINITE, atol=1e-4)
    assert_follows_pytorch(of_singular_vectors, RIGHT, atol=1e-5)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (torch.linalg.inv, "linalg_inv_ex: matrix 0 has no inverse: pivot 2 is zero"),
        (lambda a: torch.linalg.solve(a, a), "_linalg_solve_ex: matrix 0 has no inverse: pivot 2 is zero"),
        (lambda a: torch.linalg.cholesky(-a), "linalg_cholesky_ex: matrix 0 is not positive definite"),
    ],
    ids=["inv", "solve", "cholesky"],
)
def test_matrices_that_pytorch_rejects_are_an_error(function: Callable[..., torch.Tensor], message: str) -> None:
    singular = torch.ones(2, 2)
    with pytest.raises(RuntimeError):
        function(singular)
    program = compile_function(function, (torch.eye(2),))
    assert message in run_program(program, Call("forward", (singular,), (singular,)), 0.0, 0.0)
