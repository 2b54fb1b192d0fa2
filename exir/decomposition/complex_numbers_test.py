"""Tests that complex operators become operators on real and imaginary parts."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from exir import to_edge
from exir.testing.graphs import assert_same, calls, run
from exir.testing.models import Example

FUNCTIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "bmm": lambda z: z @ z.transpose(1, 2),
    "exp": torch.exp,
    "filled": lambda z: torch.full((2, 3), 1 - 2j) + z[..., 0],
    "filled like another": lambda z: torch.full_like(z, 1 - 2j),
    "linear": lambda z: torch.nn.functional.linear(z, z[0], z[0, :, 0]),
    "mm": lambda z: z[0] @ z[1].T,
    "zeros": lambda z: torch.zeros(4, dtype=torch.complex64) + z,
}


_TAKEN = {
    "aten.add.Tensor",
    "aten.expand_copy.default",
    "aten.mul.Tensor",
    "aten.permute_copy.default",
    "aten.select_copy.int",
    "aten.view_as_complex_copy.default",
    "aten.view_copy.default",
}


class _FunctionModule(nn.Module):
    def __init__(self, function: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self._function = function

    def forward(self, z: Tensor) -> Tensor:
        return self._function(z)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_only_supported_complex_operators_are_preserved(name: str) -> None:
    z = torch.randn(2, 3, 4, dtype=torch.complex64)
    example = Example(_FunctionModule(FUNCTIONS[name]), (z,))
    program = to_edge(example.export()).exported_program()
    of_complex = {str(node.target._op) for node in calls(program) if node.meta["val"].is_complex()}
    assert of_complex <= _TAKEN
    assert_same(run(program, example.inputs), [FUNCTIONS[name](z)], 1e-5, 1e-6)
