"""Operators that are formulas of simpler ones, for which torch has no decomposition."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.types import Number

_ATEN = torch.ops.aten


def _round_to(x: Tensor, *, decimals: int) -> Tensor:
    power = 10.0 ** abs(decimals)
    if decimals == 0:
        return torch.round(x)
    return torch.round(x * power) / power if decimals > 0 else torch.round(x / power) * power


def _ldexp(x: Tensor, exponent: Tensor) -> Tensor:
    return x * torch.pow(2.0, exponent)


def _lcm(a: Tensor, b: Tensor) -> Tensor:
    """0 with 0."""
    divisor = torch.gcd(a, b)
    quotient = torch.div(a, divisor.clamp(min=1), rounding_mode="trunc")
    return torch.abs(quotient * b)


def _addbmm(x: Tensor, a: Tensor, b: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    return beta * x + alpha * torch.bmm(a, b).sum(0)


def _rrelu(
    x: Tensor,
    noise: Tensor,
    lower: Number = 0.125,
    upper: Number = 1.0 / 3,
    training: bool = False,
    generator: Any = None,
) -> Any:
    """Of inference: the mean slope."""
    if training:
        return NotImplemented
    return torch.nn.functional.leaky_relu(x, float((lower + upper) / 2)), noise


ARITHMETIC: Mapping[OpOverload, Callable[..., Any]] = {
    _ATEN.addbmm.default: _addbmm,
    _ATEN.lcm.default: _lcm,
    _ATEN.ldexp.Tensor: _ldexp,
    _ATEN.round.decimals: _round_to,
    _ATEN.rrelu_with_noise_functional.default: _rrelu,
}
