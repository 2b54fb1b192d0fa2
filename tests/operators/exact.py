"""Reference functions in high precision.

Some functions of eager PyTorch have only six correct digits in float64.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import mpmath
import torch

_DIGITS = 40


def _polygamma(x: mpmath.mpf, n: int) -> mpmath.mpf:
    """Odd derivatives of digamma tend to infinity at every pole, from both sides."""
    is_pole = x <= 0 and mpmath.isint(x)
    return mpmath.inf if is_pole and n % 2 else mpmath.polygamma(n, x)


def _second_kind(order: int) -> Callable[[mpmath.mpf], mpmath.mpf]:
    """Functions of the second kind are real for x > 0 and have a pole at 0."""
    return lambda x: mpmath.bessely(order, x) if x > 0 else -mpmath.inf if x == 0 else mpmath.nan


_FUNCTIONS: Mapping[str, Callable[..., mpmath.mpf]] = {
    "polygamma": _polygamma,
    "special.polygamma": _polygamma,
    "special.airy_ai": mpmath.airyai,
    "special.bessel_j0": lambda x: mpmath.besselj(0, x),
    "special.bessel_j1": lambda x: mpmath.besselj(1, x),
    "special.bessel_y0": _second_kind(0),
    "special.bessel_y1": _second_kind(1),
}


def exact_of_scalars(name: str, x: torch.Tensor, arguments: Sequence[Any]) -> torch.Tensor | None:
    """Evaluate a function of torch's database elementwise, in float64.

    The result is None for other functions, and if the function is undefined for an element.
    """
    function = _FUNCTIONS.get(name)
    if function is None:
        return None
    try:
        with mpmath.workdps(_DIGITS):
            found = [float(function(mpmath.mpf(element), *arguments)) for element in x.flatten().tolist()]
    except (ValueError, TypeError):
        return None
    return torch.tensor(found, dtype=torch.float64).reshape(x.shape)
