"""Test that linear algebra kernels match PyTorch."""

from __future__ import annotations

import pytest
import torch

from kernels.testing.native import KernelError
from kernels.testing.parity import check, load_kernels, random_tensor

KERNELS = load_kernels()
DTYPES = (torch.float32, torch.float64)
SIZES = ((0, 0), (1, 1), (3, 3), (2, 4, 4), (2, 0, 3, 3), (9, 9), (2, 17, 17))
TALL_AND_WIDE = ((3, 1), (1, 3), (5, 3), (3, 5), (2, 12, 7), (2, 7, 12), (0, 3), (3, 0))
CLOSE = {torch.float32: (1e-3, 1e-4), torch.float64: (1e-9, 1e-10)}


def definite(*shape: int, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    """Return symmetric positive definite matrices."""
    x = random_tensor(shape, torch.float64)
    return (x @ x.mT + torch.eye(shape[-1], dtype=torch.float64)).to(dtype)


def blanks(*shapes: tuple[int, ...], dtype: torch.dtype) -> list[torch.Tensor]:
    return [torch.empty(shape, dtype=dtype) for shape in shapes]


def call(name: str, *arguments: object, outs: list[torch.Tensor]) -> list[torch.Tensor]:
    KERNELS.call(name, *arguments, *outs, *(outs if len(outs) == 1 else [outs]))
    return outs


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", SIZES, ids=str)
def test_inverses_and_factors_follow_pytorch(shape: tuple[int, ...], dtype: torch.dtype) -> None:
    x, close = definite(*shape, dtype=dtype), CLOSE[dtype]
    for a in (x, x.mT.contiguous().mT, x + torch.triu(x)):
        check(KERNELS, "aten::linalg_inv_ex.inverse", a, False, out=[dtype, torch.int32], tolerance=close)
        check(KERNELS, "aten::linalg_matrix_exp.out", a / max(1, a.shape[-1]), tolerance=close)
    for upper in (False, True):
        check(KERNELS, "aten::linalg_cholesky_ex.L", x, upper, False, out=[dtype, torch.int32], tolerance=close)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [*SIZES, *TALL_AND_WIDE], ids=str)
def test_triangular_and_orthogonal_factors_follow_pytorch(shape: tuple[int, ...], dtype: torch.dtype) -> None:
    a, close = random_tensor(shape, dtype, seed=7), CLOSE[dtype]
    kinds = [dtype, torch.int32, torch.int32]
    check(KERNELS, "aten::linalg_lu_factor_ex.out", a, True, False, out=kinds, tolerance=close)
    factors, pivots, _ = torch.linalg.lu_factor_ex(a)
    for flags in ((True, True), (True, False), (False, True)):
        check(KERNELS, "aten::lu_unpack.out", factors, pivots, *flags, out=[dtype] * 3)
    check(KERNELS, "aten::geqrf.a", a, out=[dtype] * 2, tolerance=close)


@pytest.mark.parametrize("columns", [0, 1, 2, 3])
def test_pivots_that_factors_do_not_need_are_ignored(columns: int) -> None:
    factors, pivots, _ = torch.linalg.lu_factor_ex(random_tensor((2, 3, 3), torch.float32))
    some = factors[..., :columns].contiguous()
    check(KERNELS, "aten::lu_unpack.out", some, pivots, True, True, out=[torch.float32] * 3)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (2, 12, 7)], ids=str)
def test_householder_products_follow_pytorch(shape: tuple[int, ...], dtype: torch.dtype) -> None:
    a, tau = torch.geqrf(random_tensor(shape, dtype))
    close = CLOSE[dtype]
    check(KERNELS, "aten::linalg_householder_product.out", a, tau, tolerance=close)
    check(KERNELS, "aten::linalg_householder_product.out", a, tau[..., :2].contiguous(), tolerance=close)
    for transpose in (False, True):
        columns = random_tensor((*shape[:-1], 9), dtype, seed=3)
        check(KERNELS, "aten::ormqr.out", a, tau, columns, True, transpose, tolerance=close)
        rows = columns.mT.contiguous()
        check(KERNELS, "aten::ormqr.out", a, tau, rows, False, transpose, tolerance=close)


def test_householder_scales_need_the_batches_of_the_matrices() -> None:
    a, out = random_tensor((3, 2, 4, 2)), torch.empty(3, 2, 4, 2)
    for shape in ((1, 2, 2), (3, 1, 2), (2, 2)):
        with pytest.raises(KernelError, match="the batches of tau and the matrices differ"):
            KERNELS.call("aten::linalg_householder_product.out", a, torch.ones(shape), out, out)


def test_ormqr_needs_equal_batches() -> None:
    a, tau, other = torch.ones(3, 2, 4, 2), torch.ones(3, 2, 2), torch.ones(1, 2, 4, 5)
    with pytest.raises(KernelError, match="ormqr: the batches of both matrices differ"):
        KERNELS.call("aten::ormqr.out", a, tau, other, True, False, other.clone(), other.clone())


def test_zero_vector_has_no_householder_reflection() -> None:
    a = torch.tensor([[2.0, 1.0], [0.0, 0.0]])
    check(KERNELS, "aten::geqrf.a", a, out=[torch.float32] * 2)


BATCHES = (((), ()), ((2,), (2,)), ((2, 1), (3,)), ((), (4,)), ((0,), (0,)))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(("of_a", "of_b"), BATCHES, ids=str)
@pytest.mark.parametrize("left", [True, False])
def test_linear_systems_follow_pytorch(
    left: bool, of_a: tuple[int, ...], of_b: tuple[int, ...], dtype: torch.dtype
) -> None:
    a = definite(*of_a, 5, 5, dtype=dtype) + torch.triu(random_tensor((5, 5), dtype))
    b = random_tensor((*of_b, 5, 11) if left else (*of_b, 11, 5), dtype, seed=2)
    close = CLOSE[dtype]
    for upper, unit in ((True, False), (False, False), (False, True)):
        check(KERNELS, "aten::linalg_solve_triangular.out", a, b, upper, left, unit, tolerance=close)
    factors, pivots, info = torch.linalg.lu_factor_ex(a)
    for adjoint in (False, True):
        check(KERNELS, "aten::linalg_lu_solve.out", factors, pivots, b, left, adjoint, tolerance=close)
    expected = torch.linalg.solve(a, b, left=left)
    outs = [torch.empty_like(tensor) for tensor in (expected, factors, pivots, info)]
    call("aten::_linalg_solve_ex.result", a, b, left, False, outs=outs)
    torch.testing.assert_close(outs[0], expected, rtol=close[0], atol=close[1])
    if expected.numel():
        torch.testing.assert_close(outs[1:], [factors, pivots, info], rtol=close[0], atol=close[1])


def test_linear_systems_with_vectors_follow_pytorch() -> None:
    for of_a, b in (((), random_tensor((3,))), ((4,), random_tensor((4, 3))), ((4,), random_tensor((3,)))):
        a = definite(*of_a, 3, 3, dtype=torch.float32)
        factors, pivots, info = torch.linalg.lu_factor_ex(a)
        expected = torch.linalg.solve(a, b)
        outs = [torch.empty_like(tensor) for tensor in (expected, factors, pivots, info)]
        call("aten::_linalg_solve_ex.result", a, b, True, False, outs=outs)
        torch.testing.assert_close(outs[0], expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", SIZES, ids=str)
@pytest.mark.parametrize("half", ["L", "U"])
def test_eigenvectors_reconstruct_the_matrix(half: str, shape: tuple[int, ...], dtype: torch.dtype) -> None:
    a = random_tensor(shape, dtype)
    close = CLOSE[dtype]
    values, vectors = call("aten::_linalg_eigh.eigenvalues", a, half, True, outs=blanks(shape[:-1], shape, dtype=dtype))
    torch.testing.assert_close(values, torch.linalg.eigvalsh(a, half), rtol=close[0], atol=close[1])
    whole = torch.tril(a) + torch.tril(a, -1).mT if half == "L" else torch.triu(a) + torch.triu(a, 1).mT
    torch.testing.assert_close((vectors * values.unsqueeze(-2)) @ vectors.mT, whole, rtol=close[0], atol=close[1])
    unit = torch.eye(shape[-1], dtype=dtype).expand(shape)
    torch.testing.assert_close(vectors.mT @ vectors, unit, rtol=close[0], atol=close[1])
    alone = call("aten::_linalg_eigh.eigenvalues", a, half, False, outs=blanks(shape[:-1], (0,), dtype=dtype))
    torch.testing.assert_close(alone[0], values)


def deficient() -> torch.Tensor:
    """Return a matrix of rank 2 with a zero column."""
    x = random_tensor((6, 2), torch.float64) @ random_tensor((2, 4), torch.float64, seed=5)
    x[:, 1] = 0
    return x


SINGULAR = (*(random_tensor(shape, torch.float64) for shape in (*SIZES, *TALL_AND_WIDE)), deficient(), deficient().mT)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("a", [*SINGULAR, torch.zeros(3, 2)], ids=lambda a: str(tuple(a.shape)))
@pytest.mark.parametrize("full", [True, False])
def test_singular_vectors_reconstruct_the_matrix(full: bool, a: torch.Tensor, dtype: torch.dtype) -> None:
    a, close = a.to(dtype), CLOSE[dtype]
    shapes = [factor.shape for factor in torch.linalg.svd(a, full_matrices=full)]
    u, values, vh = call("aten::_linalg_svd.U", a, full, True, None, outs=blanks(*shapes, dtype=dtype))
    torch.testing.assert_close(values, torch.linalg.svdvals(a), rtol=close[0], atol=close[1])
    count = values.shape[-1]
    product = (u[..., :count] * values.unsqueeze(-2)) @ vh[..., :count, :]
    torch.testing.assert_close(product, a, rtol=close[0], atol=close[1])
    for vectors in (u, vh.mT):
        unit = torch.eye(vectors.shape[-1], dtype=dtype).expand(*a.shape[:-2], -1, -1)
        torch.testing.assert_close(vectors.mT @ vectors, unit, rtol=close[0], atol=close[1])


def test_factors_of_values_of_any_magnitude_follow_pytorch() -> None:
    for scale in (1e-200, 1e200):
        a = random_tensor((4, 4), torch.float64) * scale
        outs = call("aten::_linalg_svd.U", a, False, False, None, outs=blanks((0,), (4,), (0,), dtype=torch.float64))
        torch.testing.assert_close(outs[1] / scale, torch.linalg.svdvals(a / scale))
        r = call("aten::geqrf.a", a, outs=blanks((4, 4), (4,), dtype=torch.float64))
        torch.testing.assert_close(r[0], torch.geqrf(a)[0])


def test_exponentials_of_large_matrices_follow_pytorch() -> None:
    for scale in (0.0, 1e-9, 3.0, 20.0):
        a = random_tensor((4, 4), torch.float64) * scale
        check(KERNELS, "aten::linalg_matrix_exp.out", a, tolerance=(1e-9, 1e-9))
    out = torch.empty(2, 2)
    KERNELS.call("aten::linalg_matrix_exp.out", torch.tensor([[1.0, float("inf")], [0.0, 1.0]]), out, out)
    assert out.isnan().all()


def test_singular_matrix_is_reported() -> None:
    singular = torch.tensor([[1.0, 2.0], [2.0, 4.0]])
    info = torch.empty((), dtype=torch.int32)
    outs = [torch.empty(2, 2), info]
    call("aten::linalg_inv_ex.inverse", singular, False, outs=outs)
    assert info.item() == 2
    with pytest.raises(KernelError, match="linalg_inv_ex: matrix 0 has no inverse: pivot 2 is zero"):
        call("aten::linalg_inv_ex.inverse", singular, True, outs=outs)
    call("aten::linalg_cholesky_ex.L", -singular, False, False, outs=outs)
    assert info.item() == torch.linalg.cholesky_ex(-singular).info.item() == 1
    with pytest.raises(KernelError, match="leading minor of order 1"):
        call("aten::linalg_cholesky_ex.L", -singular, False, True, outs=outs)


@pytest.mark.parametrize("wrong", [float("nan"), float("inf")])
def test_nonfinite_matrices_have_nan_vectors(wrong: float) -> None:
    a = torch.tensor([[1.0, wrong], [wrong, 1.0]])
    outs = [torch.empty(2), torch.empty(2, 2)]
    with pytest.raises(KernelError, match="_linalg_eigh: matrix 0 has elements that are not finite"):
        call("aten::_linalg_eigh.eigenvalues", a, "L", True, outs=outs)
    with pytest.raises(KernelError, match="_linalg_svd: matrix 0 has elements that are not finite"):
        call("aten::_linalg_svd.U", a, True, True, None, outs=[outs[1], outs[0], torch.empty(2, 2)])
