"""Decomposes orthogonal polynomials: scalar operands and shifted polynomials."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload

_ATEN = torch.ops.aten
_SHIFTED = "shifted_chebyshev_polynomial_"
_NAMES = (
    *(f"chebyshev_polynomial_{kind}" for kind in "tuvw"),
    *(f"{_SHIFTED}{kind}" for kind in "tuvw"),
    "hermite_polynomial_h",
    "hermite_polynomial_he",
    "laguerre_polynomial_l",
    "legendre_polynomial_p",
)


def _for_tensors(polynomial: OpOverload) -> Callable[..., Tensor]:
    """Return `polynomial` for a scalar operand, which does not promote the dtype."""

    def call(x: Any, n: Any) -> Tensor:
        like = x if isinstance(x, Tensor) else n
        x, n = (
            operand if isinstance(operand, Tensor) else _number_like(operand, like) for operand in (x, n)
        )
        return polynomial(x, n)

    return call


def _number_like(number: Any, like: Tensor) -> Tensor:
    is_float = isinstance(number, float) and not like.is_floating_point()
    dtype = torch.get_default_dtype() if is_float else like.dtype
    return torch.full([], number, dtype=dtype)


def _map_to_unit_interval(polynomial: OpOverload) -> Callable[..., Tensor]:
    """Map [0, 1], where the shifted polynomial is orthogonal, to [-1, 1]."""

    def call(x: Tensor, n: Tensor) -> Tensor:
        dtype = torch.result_type(x, n)
        # 2x - 1 can be out of range for a bool or a small integer.
        x = x.to(dtype if dtype.is_floating_point else torch.get_default_dtype())
        return polynomial(x + x - 1, n)

    return call


def _polynomial_decompositions() -> Mapping[OpOverload, Callable[..., Any]]:
    table: dict[OpOverload, Callable[..., Any]] = {}
    for name in _NAMES:
        packet = getattr(_ATEN, f"special_{name}")
        table[packet.n_scalar] = table[packet.x_scalar] = _for_tensors(packet.default)
        if name.startswith(_SHIFTED):
            plain = getattr(_ATEN, f"special_{name.removeprefix('shifted_')}")
            table[packet.default] = _map_to_unit_interval(plain.default)
    return table


POLYNOMIALS: Mapping[OpOverload, Callable[..., Any]] = _polynomial_decompositions()
