"""Tests that random operators draw from the requested distribution."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from exir import to_edge
from exir.testing.graphs import run
from exir.testing.models import Example


class Drawn(nn.Module):
    def __init__(self, draw: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.draw = draw

    def forward(self, x: Tensor) -> Tensor:
        return self.draw(x.clone())


@pytest.mark.parametrize(
    ("draw", "mean", "deviation"),
    [
        (lambda x: x.uniform_(5, 11), 8.0, 3**0.5),
        (lambda x: x.normal_(8, 3), 8.0, 3.0),
        (lambda x: torch.normal(8.0, 3.0, x.shape), 8.0, 3.0),
        (lambda x: torch.randint(-2, 9, x.shape).float(), 3.0, 10**0.5),
        (lambda x: torch.randint_like(x, -2, 9), 3.0, 10**0.5),
    ],
    ids=["uniform", "normal", "normal of a size", "integers", "integers like"],
)
def test_drawn_values_have_their_mean_and_deviation(
    draw: Callable[[Tensor], Tensor], mean: float, deviation: float
) -> None:
    example = Example(Drawn(draw), (torch.empty(20000),))
    program = to_edge(example.export()).exported_program()
    torch.manual_seed(0)
    (found,) = run(program, example.inputs)
    assert float(found.mean()) == pytest.approx(mean, abs=0.1)
    assert float(found.std()) == pytest.approx(deviation, rel=0.03)
