"""Tests of the map from instructions to modules and source lines."""

from torch import Tensor, nn, ones

from exir.program import to_edge
from exir.testing.models import Example


class _Scaled(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.act = nn.ReLU()

    def forward(self, x: Tensor) -> Tensor:
        return self.act(x) * 2


def test_instructions_name_operator_module_and_line() -> None:
    sources = to_edge(Example(_Scaled(), (ones(3),)).export()).to_executorch().instruction_sources
    assert sources["format"] == 1
    found = [source for instruction in sources["methods"]["forward"] for source in instruction]
    assert [(source["operator"], source["module"]) for source in found] == [
        ("aten::relu.out", "act"),
        ("aten::mul.out", ""),
    ]
    assert all(":" in source["source"] for source in found)
