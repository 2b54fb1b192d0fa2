"""Test that unary elementwise kernels match PyTorch."""

from __future__ import annotations

import pytest
import torch

from kernels.testing.parity import FLOATING, INTEGRAL, NUMBERS, SPECIAL, check, load_kernels, random_tensor

KERNELS = load_kernels()
TRANSCENDENTAL = (
    "exp log sqrt rsqrt erf log2 log10 log1p expm1 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh "
    "reciprocal sigmoid"
).split()
ROUNDING = "floor ceil round trunc abs neg relu".split()


def sample(dtype: torch.dtype) -> torch.Tensor:
    """Return special values, rounding ties, and values from every domain."""
    return torch.cat([torch.tensor(SPECIAL), torch.linspace(-6, 6, 97)]).to(dtype)


@pytest.mark.parametrize("dtype", FLOATING, ids=str)
@pytest.mark.parametrize("name", [*TRANSCENDENTAL, *ROUNDING, "sign"])
def test_unary_kernels_follow_pytorch(name: str, dtype: torch.dtype) -> None:
    check(KERNELS, f"aten::{name}.out", sample(dtype))


@pytest.mark.parametrize("dtype", [torch.bool, *INTEGRAL], ids=str)
@pytest.mark.parametrize("name", [*TRANSCENDENTAL, "logit"])
def test_transcendental_kernels_convert_integers_to_float(name: str, dtype: torch.dtype) -> None:
    x = random_tensor((40,), dtype)
    check(KERNELS, f"aten::{name}.out", x, *([None] if name == "logit" else []), out=torch.float32)


@pytest.mark.parametrize("dtype", INTEGRAL, ids=str)
@pytest.mark.parametrize("name", [*ROUNDING, "sign", "bitwise_not"])
def test_unary_integer_results_stay_integers(name: str, dtype: torch.dtype) -> None:
    limits = torch.tensor([torch.iinfo(dtype).min, torch.iinfo(dtype).max], dtype=dtype)
    check(KERNELS, f"aten::{name}.out", torch.cat([random_tensor((40,), dtype), limits]))


@pytest.mark.parametrize("name", ["sign", "bitwise_not"])
def test_unary_bool_results_stay_bool(name: str) -> None:
    check(KERNELS, f"aten::{name}.out", random_tensor((9,), torch.bool))


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
@pytest.mark.parametrize("name", ["isnan", "isinf", "logical_not"])
def test_unary_predicates_follow_pytorch(name: str, dtype: torch.dtype) -> None:
    x = sample(dtype) if dtype.is_floating_point else random_tensor((40,), dtype)
    check(KERNELS, f"aten::{name}.out", x, out=torch.bool)


@pytest.mark.parametrize("name", ["igamma", "igammac"])
def test_incomplete_gamma_functions_at_the_limits_follow_pytorch(name: str) -> None:
    values = torch.tensor([0.0, 0.5, 2.0, float("inf"), -1.0], dtype=torch.float64)
    a, x = (grid.contiguous() for grid in torch.meshgrid(values, values, indexing="ij"))
    check(KERNELS, f"aten::{name}.out", a, x)


@pytest.mark.parametrize("name", ["special_bessel_y0", "special_bessel_y1"])
def test_bessel_functions_near_zero_follow_pytorch(name: str) -> None:
    """Test arguments whose recurrence is rescaled or replaced by a series."""
    x = torch.logspace(-12, 0, 97, dtype=torch.float64)
    check(KERNELS, f"aten::{name}.out", x)


@pytest.mark.parametrize("dtype", FLOATING, ids=str)
@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gelu_follows_pytorch(approximate: str, dtype: torch.dtype) -> None:
    x = sample(dtype)
    x = x[x.isfinite()] if approximate == "none" else x  # PyTorch's loops differ from each other at infinity
    check(KERNELS, "aten::gelu.out", x, approximate)


@pytest.mark.parametrize("dtype", FLOATING, ids=str)
def test_leaky_relu_and_elu_follow_pytorch(dtype: torch.dtype) -> None:
    x = sample(dtype)
    for slope in (0.01, 0, -2.0):
        check(KERNELS, "aten::leaky_relu.out", x, slope)
    for parameters in ((1, 1, 1), (1.5, 0.5, 2.0)):
        check(KERNELS, "aten::elu.out", x, *parameters)


@pytest.mark.parametrize("dtype", FLOATING, ids=str)
@pytest.mark.parametrize("eps", [None, 0.125, -1.0])
def test_logit_follows_pytorch(eps: float | None, dtype: torch.dtype) -> None:
    x = torch.cat([torch.tensor(SPECIAL), torch.linspace(0, 1, 33)]).to(dtype)
    check(KERNELS, "aten::logit.out", x, eps)
