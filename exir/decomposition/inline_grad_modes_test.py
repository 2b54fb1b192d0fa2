"""Tests that the body of `torch.no_grad()` is inlined."""

import pytest
import torch
from torch import Tensor, nn

from exir import to_edge
from exir.decomposition.decompose import decompose_locally
from exir.decomposition.decompositions import core_aten
from exir.decomposition.inline_grad_modes import inline_grad_modes
from exir.testing.graphs import assert_same, run, run_module
from exir.testing.models import Example


class Once(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        with torch.no_grad():
            low, high = (x * 2).chunk(2)
        return low + high, high


class Nested(nn.Module):
    """The inner graph has a tensor attribute."""

    def forward(self, x: Tensor) -> Tensor:
        with torch.no_grad():
            y = x * torch.tensor([1.0, 2.0, 3.0])
            with torch.enable_grad():
                y = y + torch.tensor([0.5])
        with torch.no_grad():
            return y - 1


class Choice(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        with torch.no_grad():
            return torch.cond(
                x.sum() > 0, lambda x: x + 1, lambda x: x * torch.tensor([3.0, 2.0, 1.0]), (x,)
            )


class State(nn.Module):
    """Two mutated tensors, one without gradients, as in decoders with a KV cache."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("keys", torch.zeros(4, 3))
        self.register_buffer("count", torch.zeros(1))

    def forward(self, x: Tensor) -> Tensor:
        with torch.no_grad():
            self.count.add_(1)
            angle = x.cos()
        self.keys[1:3] = angle
        return self.keys.sum(0) * self.count


MODELS = (Once, Nested, Choice, State)


@pytest.mark.parametrize("model", MODELS)
def test_inlined_grad_modes_preserve_results(model: type[nn.Module]) -> None:
    example = Example(model().eval(), (torch.randn(2, 3),))
    expected = run_module(example.module, example.inputs)
    program = to_edge(example.export()).exported_program()
    assert_same(run(program, example.inputs), expected)


@pytest.mark.parametrize("model", [Once, Nested, State])
def test_inlining_grad_modes_does_not_retrace(model: type[nn.Module]) -> None:
    example = Example(model().eval(), (torch.randn(2, 3),))
    decompose_locally(inline_grad_modes(example.export()), core_aten())


def test_inlining_grad_modes_removes_the_inner_graphs() -> None:
    example = Example(Once().eval(), (torch.randn(2, 3),))
    graph = inline_grad_modes(example.export()).graph
    assert not graph.find_nodes(op="get_attr")


def test_inlining_grad_modes_does_not_change_its_input() -> None:
    program = Example(Once().eval(), (torch.randn(2, 3),)).export()
    before = str(program.graph)
    assert inline_grad_modes(program) is not program
    assert str(program.graph) == before
    other = Example(nn.ReLU().eval(), (torch.randn(2, 3),)).export()
    assert inline_grad_modes(other) is other
