"""Tests that aliases are one state, and that mutated parameters are state."""

import copy
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from exir import to_edge
from exir.error import UnsupportedOperatorError
from exir.testing.models import Example


class Names(nn.Module):
    """A buffer, and a second buffer in the same memory, after a buffer that is unused."""

    def __init__(self, view: Callable[[Tensor], Tensor], writes_view: bool) -> None:
        super().__init__()
        self.register_buffer("unused", torch.zeros(1))
        self.register_buffer("whole", torch.zeros(3, 2))
        self.register_buffer("part", view(self.get_buffer("whole")))
        self.writes_view = writes_view

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        whole, part = self.get_buffer("whole"), self.get_buffer("part")
        (part if self.writes_view else whole).add_(x)
        return whole * 2, part + 1


class Listed(nn.Module):
    """A buffer that is also in a list; torch.export treats that item as a constant."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("total", torch.zeros(2))
        self.held = [self.get_buffer("total")]

    def forward(self, x: Tensor) -> Tensor:
        self.get_buffer("total").add_(x)
        return self.held[0] * 2


class Weight(nn.Module):
    """A parameter that is mutated in place, directly or through a view."""

    def __init__(self, through_view: bool) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2, 2))
        self.through_view = through_view

    def forward(self, x: Tensor) -> Tensor:
        with torch.no_grad():
            if self.through_view:
                self.weight.view(-1)[1:3].mul_(0.5)
            else:
                self.weight.mul_(0.5)
        return x @ self.weight


def assert_calls_follow_eager(module: nn.Module, x: Tensor) -> list[str]:
    """Compare three calls with eager PyTorch, and return the names of the state."""
    eager = copy.deepcopy(module)
    program = to_edge(Example(module.eval(), (x,)).export()).exported_program()
    compiled = program.module()
    for _ in range(3):
        torch.testing.assert_close(compiled(x), eager(x))
    return list(program.graph_signature.buffers_to_mutate.values())


@pytest.mark.parametrize("writes_view", [False, True])
@pytest.mark.parametrize(
    "view",
    [
        lambda whole: whole,
        lambda whole: whole[1:],
        lambda whole: whole.view(2, 3)[0, 1:],
        lambda whole: whole[2].unsqueeze(0),
        lambda whole: whole.t(),
    ],
)
def test_aliases_of_one_buffer_are_one_state(
    view: Callable[[Tensor], Tensor], writes_view: bool
) -> None:
    assert len(assert_calls_follow_eager(Names(view, writes_view), torch.tensor(0.5))) == 1


def test_buffer_in_a_list_is_the_same_state() -> None:
    assert assert_calls_follow_eager(Listed(), torch.ones(2)) == ["total"]


def test_alias_with_gaps_is_refused_with_both_names() -> None:
    with pytest.raises(
        UnsupportedOperatorError, match="'part' shares memory with 'whole', which the model writes"
    ):
        assert_calls_follow_eager(Names(lambda whole: whole[:, 0], False), torch.tensor(0.5))


@pytest.mark.parametrize("through_view", [False, True])
def test_mutated_parameter_is_state(through_view: bool) -> None:
    assert assert_calls_follow_eager(Weight(through_view), torch.ones(1, 2)) == ["weight"]


def test_parameter_of_a_decomposed_program_is_state() -> None:
    module = Weight(through_view=False)
    program = Example(module, (torch.ones(1, 2),)).export()
    with torch.no_grad():
        program = program.run_decompositions()
    assert list(to_edge(program).exported_program().graph_signature.buffers_to_mutate.values()) == [
        "weight"
    ]
