"""Tests that Python arithmetic on sizes becomes operators with the same results."""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.export import Dim, export

from exir import to_edge
from exir.error import UnsupportedOperatorError
from exir.torch_versions import can_export

_CASES: dict[str, Callable[[int], Any]] = {
    "square root": lambda n: n**0.5,
    "square": lambda n: n**2,
    "power of an expression": lambda n: (n + 1) ** 3,
    "negative power": lambda n: n**-1,
    "power of a float": lambda n: (n / 3) ** 1.5,
    "power of two": lambda n: 2**n,
    "power of itself": lambda n: n**n,
    "high power": lambda n: n**17,
    "negative power of a float": lambda n: (n / 3) ** -2,
    "zeroth power of a float": lambda n: (n / 3) ** 0,
    "floor": lambda n: math.floor(n / 2),
    "floor of a negative": lambda n: math.floor((n - 4) / 3),
    "absolute value": lambda n: abs(n - 3),
    "not equal": lambda n: n != 3,
    "left shift": lambda n: n << 2,
    "right shift": lambda n: n >> 1,
    "low bits": lambda n: n & 3,
    "low bits of the second operand": lambda n: 3 & n,
    "no bits": lambda n: n & 0,
    "both": lambda n: (n > 2) & (n < 4),
    "either": lambda n: (n < 2) | (n > 4),
    "round": lambda n: round(n / 3),
}


class _ScaledResize(torch.nn.Module):
    def __init__(self, number: Callable[[int], Any]) -> None:
        super().__init__()
        self.number = number

    def forward(self, x: Tensor) -> Tensor:
        return x * self.number(x.shape[0])


class _ScaledInABranch(_ScaledResize):
    def forward(self, x: Tensor) -> Tensor:
        return torch.cond(x.sum() > 0, lambda x: x * self.number(x.shape[0]), lambda x: x * 1.0, (x,))


@pytest.mark.parametrize("kind", [_ScaledResize, _ScaledInABranch])
@pytest.mark.parametrize("name", _CASES)
def test_size_arithmetic_matches_python(name: str, kind: type[_ScaledResize]) -> None:
    module = kind(_CASES[name])
    program = export(module, (torch.rand(3, 2),), dynamic_shapes=({0: Dim("n", min=1, max=6)},))
    edge = to_edge(program)
    lowered = edge.exported_program().module(check_guards=False)
    edge.to_executorch()
    for size in range(2, 7):
        x = torch.rand(size, 2)
        torch.testing.assert_close(lowered(x), module(x))


class _ScaledNumber(_ScaledResize):
    """Returns the number in the widest dtype."""

    def forward(self, x: Tensor) -> Tensor:
        number = self.number(x.shape[0])
        is_float = isinstance(number, (float, torch.SymFloat))
        return torch.full((), number, dtype=torch.float64 if is_float else torch.int64)


@pytest.mark.parametrize(
    "number",
    [lambda n: 3**n, lambda n: (n - 24) ** 17, lambda n: (n - 21) ** (n - 21), lambda n: (n / 7) ** 1.5],
    ids=["constant base", "constant exponent", "both", "float"],
)
def test_power_of_a_size_is_as_precise_as_in_python(number: Callable[[int], Any]) -> None:
    module = _ScaledNumber(number)
    program = export(module, (torch.rand(30),), dynamic_shapes=({0: Dim("n", min=25, max=36)},))
    lowered = to_edge(program).exported_program().module(check_guards=False)
    for size in (25, 36):
        x = torch.rand(size)
        expected = module(x)
        rtol = 1e-15 if expected.is_floating_point() else 0
        torch.testing.assert_close(lowered(x), expected, rtol=rtol, atol=0)


@pytest.mark.parametrize(("exponent", "is_chain"), [(16, True), (17, False)])
def test_constant_power_of_a_size_up_to_16_is_computed_without_tensors(
    exponent: int, is_chain: bool
) -> None:
    module = _ScaledResize(lambda n: n**exponent)
    program = export(module, (torch.rand(3),), dynamic_shapes=({0: Dim("n", min=1, max=6)},))
    names = [str(node.target) for node in to_edge(program).exported_program().graph.nodes]
    assert any("pow" in name for name in names) == (not is_chain)


_UNSUPPORTED: dict[str, Callable[[int], Any]] = {
    "single bits": lambda n: n & 5,
    "bits of a negative mask": lambda n: n & -1,
    "or of integers": lambda n: n | 1,
    "or of a boolean and an integer": lambda n: (n > 2) | 1,
    "left shift by a size": lambda n: 1 << n,
    "right shift by a size": lambda n: 64 >> n,
    "round to digits": lambda n: round(n / 3, 1),
}


@pytest.mark.parametrize("name", _UNSUPPORTED)
def test_size_arithmetic_without_a_lowering_is_refused(name: str) -> None:
    module = _ScaledResize(_UNSUPPORTED[name])
    program = export(module, (torch.rand(3, 2),), dynamic_shapes=({0: Dim("n", min=1, max=6)},))
    with pytest.raises(UnsupportedOperatorError, match=r"cannot (compute|round) scalars"):
        to_edge(program).to_executorch()


_CONDITION_USES: dict[str, Callable[[Tensor, Any], Tensor]] = {
    "where": lambda x, condition: torch.where(x > 0, x, condition),
    "full": lambda x, condition: torch.full((2, 3), condition),
    "full_like": lambda x, condition: torch.full_like(x, condition),
    "new_full": lambda x, condition: x.new_full((2,), condition),
    "masked_fill": lambda x, condition: x.masked_fill(x > 0, condition),
    "scalar_tensor": lambda x, condition: torch.scalar_tensor(condition),
    "clamp": lambda x, condition: x.clamp(max=condition),
}
if can_export("a power with a condition as exponent"):
    _CONDITION_USES["pow"] = lambda x, condition: x.pow(condition)


@pytest.mark.parametrize("name", _CONDITION_USES)
def test_condition_on_an_integer_is_computed_in_each_call(name: str) -> None:
    class Model(torch.nn.Module):
        def forward(self, x: Tensor, n: int) -> Tensor:
            return _CONDITION_USES[name](x, n > 2)

    module, x = Model(), torch.rand(2, 3) - 0.5
    edge = to_edge(export(module, (x, 2), dynamic_shapes=({}, Dim.DYNAMIC(min=2, max=3))))
    lowered = edge.exported_program().module(check_guards=False)
    edge.to_executorch()
    for number in (2, 3):
        torch.testing.assert_close(lowered(x, number), module(x, number))
