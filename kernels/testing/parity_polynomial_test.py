"""Test orthogonal polynomials and the Airy function against PyTorch, in double."""

from __future__ import annotations

import pytest
import torch

from kernels.testing.parity import check, load_kernels

KERNELS = load_kernels()
NAMES = (
    "chebyshev_polynomial_t",
    "chebyshev_polynomial_u",
    "chebyshev_polynomial_v",
    "chebyshev_polynomial_w",
    "hermite_polynomial_h",
    "hermite_polynomial_he",
    "laguerre_polynomial_l",
    "legendre_polynomial_p",
)
PLACES = (-3.0, -1.0, -0.75, -0.1, 0.0, 0.3, 0.99, 1.0, 1.5, float("nan"))
DEGREES = (-1.0, 0.0, 1.0, 2.0, 3.0, 5.9, 6.0, 7.0, 9.0, 12.0, 30.0)


@pytest.mark.parametrize("name", NAMES)
def test_polynomials_follow_pytorch(name: str) -> None:
    x = torch.tensor(PLACES[:-1], dtype=torch.float64).unsqueeze(1)
    n = torch.tensor(DEGREES, dtype=torch.float64)
    check(KERNELS, f"aten::special_{name}.out", x, n, tolerance=(1e-9, 1e-9))


@pytest.mark.parametrize("name", NAMES)
def test_polynomials_of_nan_are_nan(name: str) -> None:
    x, n = torch.tensor([float("nan")]), torch.tensor([0.0, 1.0, 20.0])
    check(KERNELS, f"aten::special_{name}.out", x, n, tolerance=(1e-5, 1e-5))


@pytest.mark.parametrize("name", NAMES[4:6])
def test_hermite_polynomials_of_high_degree_are_nan(name: str) -> None:
    x, n = torch.tensor([0.5], dtype=torch.float64), torch.tensor([513.0], dtype=torch.float64)
    check(KERNELS, f"aten::special_{name}.out", x, n)


def test_airy_function_follows_pytorch() -> None:
    """Test the Airy function at points on both sides of each change of method.

    -2.33 is excluded, because PyTorch's value there satisfies neither the series nor the differential equation.
    """
    points = [-50.3, -20.0, -9.51, -9.49, -7.7, -5.0, -1.0, -0.1, 0.0, 0.5, 0.999, 1.0, 1.5, 3.0, 9.0, 20.0, 90.0]
    x = torch.tensor([*points, float("inf"), float("-inf"), float("nan")], dtype=torch.float64)
    check(KERNELS, "aten::special_airy_ai.out", x, tolerance=(1e-11, 0.0))


def test_airy_function_satisfies_its_equation() -> None:
    """Test that the second difference is x times the value: y'' = x y."""
    step = 2.0**-9
    x = torch.arange(-12, 3, step, dtype=torch.float64)
    out = torch.empty_like(x)
    KERNELS.call("aten::special_airy_ai.out", x, out, out)
    second = (out[2:] - 2 * out[1:-1] + out[:-2]) / step**2
    torch.testing.assert_close(second, x[1:-1] * out[1:-1], rtol=1e-4, atol=2e-5)
