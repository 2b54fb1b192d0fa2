"""Arguments of orthogonal polynomials: values that every dtype represents."""

from __future__ import annotations

import torch

from kernels.testing.sweep_case import Case, Maker

_NAMES = (
    *(f"chebyshev_polynomial_{kind}" for kind in "tuvw"),
    "hermite_polynomial_h",
    "hermite_polynomial_he",
    "laguerre_polynomial_l",
    "legendre_polynomial_p",
)


def _small(case: Case, name: str, end: int) -> torch.Tensor:
    """Return integers in [0, end)."""
    x = case.tensor(name)
    return (x.to(torch.float64).abs() * 3 % end).floor().to(x.dtype)


def _polynomial(case: Case) -> list[object]:
    return [_small(case, "x", 2), _small(case, "n", 5)]


MAKERS: dict[str, Maker] = {
    **{f"aten::special_{name}.out": _polynomial for name in _NAMES},
    "aten::special_airy_ai.out": lambda case: [_small(case, "x", 5)],
}
