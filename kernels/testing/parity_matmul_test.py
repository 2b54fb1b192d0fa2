"""Test that GEMM, reduction and normalization kernels match PyTorch."""

from __future__ import annotations

import pytest
import torch

import exir.dialects.grouped_ops  # noqa: F401  (registers the operator)
from kernels.testing.native import DTYPE_CODES, KernelError
from kernels.testing.parity import FLOATING, INTEGRAL, NUMBERS, channels_last, check, load_kernels, random_tensor

KERNELS = load_kernels()
CLOSE = (1e-4, 1e-4)
SHAPES = [(1, 1, 1), (1, 300, 70), (2, 5, 3), (5, 7, 300), (9, 600, 33), (3, 0, 4), (0, 3, 4), (4, 3, 0)]


def transposed(shape: tuple[int, int], seed: int = 0) -> torch.Tensor:
    """Return a column-major matrix."""
    return random_tensor(shape[::-1], seed=seed).t()


@pytest.mark.parametrize(("m", "k", "n"), SHAPES)
def test_gemm_follows_pytorch(m: int, k: int, n: int) -> None:
    a, b, bias = random_tensor((m, k)), random_tensor((k, n), seed=1), random_tensor((n,), seed=2)
    check(KERNELS, "aten::mm.out", a, b, tolerance=CLOSE)
    check(KERNELS, "aten::addmm.out", bias, a, b, 1, 1, tolerance=CLOSE)
    check(KERNELS, "aten::addmm.out", random_tensor((m, 1)), a, b, 0.5, 2.0, tolerance=CLOSE)
    check(KERNELS, "aten::bmm.out", random_tensor((3, m, k)), random_tensor((3, k, n), seed=1), tolerance=CLOSE)


@pytest.mark.parametrize(("m", "k", "n"), SHAPES)
def test_linear_follows_pytorch(m: int, k: int, n: int) -> None:
    x, weight, bias = random_tensor((m, k)), random_tensor((n, k), seed=1), random_tensor((n,), seed=2)
    reference = torch.nn.functional.linear
    check(KERNELS, "aten::linear.out", x, weight, bias, tolerance=CLOSE, reference=reference)
    check(KERNELS, "aten::linear.out", x, weight, None, tolerance=CLOSE, reference=reference)
    check(KERNELS, "aten::linear.out", random_tensor((2, m, k)), weight, bias, tolerance=CLOSE, reference=reference)
    check(KERNELS, "aten::linear.out", random_tensor((k,)), weight, bias, tolerance=CLOSE, reference=reference)


@pytest.mark.parametrize("rows", [1, 2, 4, 5, 40])
def test_gemm_accepts_any_dim_order(rows: int) -> None:
    a, b = random_tensor((rows, 200)), transposed((200, 150), seed=1)
    check(KERNELS, "aten::mm.out", a, b, tolerance=CLOSE)
    check(KERNELS, "aten::mm.out", transposed((rows, 200)), b, tolerance=CLOSE)
    check(KERNELS, "aten::mm.out", a, b, tolerance=CLOSE, order=(1, 0))


@pytest.mark.parametrize("dtype", [*INTEGRAL, torch.float16, torch.bfloat16, torch.float64], ids=str)
def test_gemm_accepts_every_dtype(dtype: torch.dtype) -> None:
    a, b, bias = random_tensor((3, 5), dtype), random_tensor((5, 4), dtype, seed=1), random_tensor((4,), dtype)
    check(KERNELS, "aten::mm.out", a, b)
    check(KERNELS, "aten::addmm.out", bias, a, b, 2, 3)


@pytest.mark.parametrize("dtype", [*INTEGRAL, torch.float16, torch.bfloat16, torch.float64], ids=str)
@pytest.mark.parametrize(("m", "k", "n"), [(1, 70, 33), (8, 32, 32), (9, 33, 70), (17, 70, 64), (3, 0, 40)])
def test_blocked_gemm_accepts_every_dtype(dtype: torch.dtype, m: int, k: int, n: int) -> None:
    a, b, bias = random_tensor((m, k), dtype), random_tensor((k, n), dtype, seed=1), random_tensor((m, n), dtype)
    check(KERNELS, "aten::mm.out", a, b)
    check(KERNELS, "aten::mm.out", a.t().contiguous().t(), b.t().contiguous().t(), order=(1, 0))
    check(KERNELS, "aten::addmm.out", bias, a, b, 3, 2)


@pytest.mark.parametrize("ends", [[2, 5, 9], [0, 9, 9], [1, 1, 4], [0, 0, 0]], ids=str)
def test_grouped_gemm_multiplies_each_group(ends: list[int]) -> None:
    """Rows after the last group are zero."""
    x, matrices = random_tensor((9, 70)), random_tensor((3, 70, 33), seed=1)
    for dtype in (torch.int32, torch.int64):
        check(KERNELS, "grouped::mm.out", x, matrices, torch.tensor(ends, dtype=dtype), tolerance=CLOSE)
    turned = random_tensor((3, 33, 70)).transpose(1, 2)
    check(KERNELS, "grouped::mm.out", x, turned, torch.tensor(ends), tolerance=CLOSE)


@pytest.mark.parametrize(("rows", "depth", "columns"), [(0, 4, 3), (5, 0, 3), (5, 4, 0)])
def test_grouped_gemm_accepts_empty_groups(rows: int, depth: int, columns: int) -> None:
    ends = torch.tensor([0, rows])
    check(KERNELS, "grouped::mm.out", random_tensor((rows, depth)), random_tensor((2, depth, columns)), ends)


def test_grouped_gemm_rejects_mismatched_groups() -> None:
    x, matrices, out = torch.ones(4, 3), torch.ones(2, 3, 5), torch.ones(4, 5)
    for ends, message in (
        ([1, 5], r"offs\[1\] = 5 is not in \[1, 4\]"),
        ([3, 2], r"offs\[1\] = 2 is not in \[3, 4\]"),
        ([-1, 2], r"offs\[0\] = -1 is not in \[0, 4\]"),
        ([1, 2, 3], "3 offs for 2 groups"),
    ):
        with pytest.raises(KernelError, match=message):
            KERNELS.call("grouped::mm.out", x, matrices, torch.tensor(ends), out, out)
    with pytest.raises(KernelError, match=r"\[4, 3\] and \[2, 5\] cannot be multiplied"):
        KERNELS.call("grouped::mm.out", x, torch.ones(2, 2, 5), torch.tensor([1, 4]), out, out)


def test_addmm_with_zero_beta_ignores_the_bias() -> None:
    bias = torch.full((2, 2), float("nan"))
    check(KERNELS, "aten::addmm.out", bias, random_tensor((2, 3)), random_tensor((3, 2)), 0, 1)


def test_gemm_rejects_mismatched_shapes() -> None:
    a, out = torch.ones(2, 3), torch.ones(2, 2)
    with pytest.raises(KernelError, match=r"\[2, 3\] and \[2, 3\] cannot be multiplied"):
        KERNELS.call("aten::mm.out", a, a, torch.ones(2, 3), torch.ones(2, 3))
    with pytest.raises(KernelError, match="self does not broadcast"):
        KERNELS.call("aten::addmm.out", torch.ones(3), a, a.t().contiguous(), 1, 1, out, out)
    with pytest.raises(KernelError, match="input has 3 features, weight needs 2"):
        KERNELS.call("aten::linear.out", a, out, None, out, out)
    with pytest.raises(KernelError, match="batches of 1 and 2"):
        KERNELS.call("aten::bmm.out", a[None], torch.ones(2, 3, 2), out[None], out[None])


@pytest.mark.parametrize("dims", [[0], [-1], [0, 2], [-1, -2], [], None], ids=str)
@pytest.mark.parametrize("keepdim", [False, True])
def test_mean_follows_pytorch(dims: list[int] | None, keepdim: bool) -> None:
    for x in (random_tensor((3, 4, 5)), random_tensor((2, 70, 3), torch.float64)):
        check(KERNELS, "aten::mean.out", x, dims, keepdim, None)
    check(KERNELS, "aten::mean.out", channels_last(random_tensor((2, 3, 4, 5))), dims, keepdim, None)


@pytest.mark.parametrize("dtype", FLOATING, ids=str)
def test_mean_accepts_every_floating_dtype(dtype: torch.dtype) -> None:
    check(KERNELS, "aten::mean.out", random_tensor((3, 300), dtype), [1], False, None)


def test_mean_over_all_dims_accepts_every_floating_dtype() -> None:
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        check(KERNELS, "aten::mean.dtype_out", random_tensor((3, 4, 5), dtype), None)


@pytest.mark.parametrize("dtype", [torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64], ids=str)
def test_mean_of_integers_has_the_requested_dtype(dtype: torch.dtype) -> None:
    for result in FLOATING:
        code = DTYPE_CODES[result]
        check(KERNELS, "aten::mean.out", random_tensor((3, 4, 5), dtype), [1], False, code, out=result)
        check(KERNELS, "aten::mean.dtype_out", random_tensor((3, 4, 5), dtype), code, out=result)


def test_mean_of_an_empty_tensor_is_nan() -> None:
    check(KERNELS, "aten::mean.out", torch.empty(2, 0), [1], False, None)
    check(KERNELS, "aten::mean.out", torch.tensor(3.0), [0], True, None)


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_any_over_all_dims_follows_pytorch(dtype: torch.dtype) -> None:
    x = (random_tensor((4, 5, 6)) > 1).to(dtype)
    for dim, keepdim in [(0, False), (-1, True), (1, False)]:
        check(KERNELS, "aten::any.out", x, dim, keepdim, out=torch.bool)
    check(KERNELS, "aten::any.out", torch.empty(2, 0, dtype=dtype), 1, False, out=torch.bool)


@pytest.mark.parametrize("dtype", [*INTEGRAL, *FLOATING], ids=str)
def test_argmax_returns_the_first_of_equals(dtype: torch.dtype) -> None:
    x = random_tensor((4, 70, 6), dtype).clamp(0, 20)
    for dim, keepdim in [(0, False), (-1, True), (1, False), (None, False), (None, True)]:
        check(KERNELS, "aten::argmax.out", x, dim, keepdim, out=torch.int64)


def test_argmax_finds_nan_and_counts_in_row_major_order() -> None:
    x = torch.tensor([[1.0, 3.0], [float("nan"), 2.0]])
    check(KERNELS, "aten::argmax.out", x, None, False, out=torch.int64)
    check(KERNELS, "aten::argmax.out", x, 0, False, out=torch.int64)
    check(KERNELS, "aten::argmax.out", channels_last(random_tensor((2, 3, 4, 5))), None, False, out=torch.int64)


def test_argmax_of_an_empty_tensor_is_an_error() -> None:
    with pytest.raises(KernelError, match="the input has no elements"):
        out = torch.empty((), dtype=torch.int64)
        KERNELS.call("aten::argmax.out", torch.empty(0), None, False, out, out)


@pytest.mark.parametrize("name", ["aten::_softmax.out", "aten::_log_softmax.out"])
@pytest.mark.parametrize("dtype", FLOATING, ids=str)
def test_softmax_follows_pytorch(name: str, dtype: torch.dtype) -> None:
    x = random_tensor((3, 70, 5), dtype)
    for dim in (0, 1, -1):
        check(KERNELS, name, x, dim, False)
    check(KERNELS, name, torch.tensor(2.0, dtype=dtype), 0, False)
    check(KERNELS, name, torch.empty(0, 3, dtype=dtype), 1, False)


@pytest.mark.parametrize("name", ["aten::_softmax.out", "aten::_log_softmax.out"])
def test_softmax_follows_pytorch_on_special_values(name: str) -> None:
    inf = float("inf")
    x = torch.tensor(
        [[1.0, -inf, 2.0], [-inf, -inf, -inf], [1e4, 0.0, -1e4], [float("nan"), 1.0, 2.0], [inf, 1.0, 0.0]]
    )
    check(KERNELS, name, x, 1, False)
    check(KERNELS, name, channels_last(random_tensor((2, 3, 4, 5))), 1, False)


def test_inference_batch_norm_follows_pytorch() -> None:
    mean, var = random_tensor((3,), seed=1), random_tensor((3,), seed=2).abs() + 0.5
    weight, bias = random_tensor((3,), seed=3), random_tensor((3,), seed=4)
    name, out = "aten::_native_batch_norm_legit_no_training.out", (torch.float32,) * 3
    for x in (random_tensor((2, 3, 4, 5)), channels_last(random_tensor((2, 3, 4, 5))), random_tensor((7, 3))):
        check(KERNELS, name, x, weight, bias, mean, var, 0.1, 1e-5, out=out, tolerance=CLOSE)
        check(KERNELS, name, x, None, None, mean, var, 0.1, 1e-3, out=out, tolerance=CLOSE)


@pytest.mark.parametrize("shape", [[5], [4, 5]], ids=str)
def test_layer_norm_follows_pytorch(shape: list[int]) -> None:
    x = random_tensor((3, 4, 5))
    weight, bias = random_tensor(shape, seed=1), random_tensor(shape, seed=2)
    for parameters in [(weight, bias), (None, bias), (None, None)]:
        check(KERNELS, "aten::native_layer_norm.out", x, shape, *parameters, 1e-5, out=(x.dtype,) * 3)
    wide = random_tensor((2, 200))
    check(KERNELS, "aten::native_layer_norm.out", wide, [200], None, None, 1e-5, out=(x.dtype,) * 3)


def test_invalid_layer_norm_is_an_error() -> None:
    x, outs = torch.ones(2, 3), [torch.ones(2, 3), torch.ones(2, 1), torch.ones(2, 1)]
    for shape, message in [([2], "dimension 1 differs"), ([], "0 normalized"), ([1, 2, 3], "3 normalized")]:
        with pytest.raises(KernelError, match=message):
            KERNELS.call("aten::native_layer_norm.out", x, shape, None, None, 1e-5, *outs, outs)
