"""Programs made with options that the official package alone has compute on the C runtime what eager PyTorch does."""

from __future__ import annotations

import copy
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils import _pytree as pytree

from exir.cli.reporting.calls import Call
from exir.testing.graphs import operator_names
from tests.operators.compiled import replay

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "compat"))


class _Cache(torch.nn.Module):
    """Two rows of a state are set, one after the other, and all of it is returned."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("state", torch.zeros(4, 3))

    def forward(self, at: torch.Tensor, row: torch.Tensor) -> Any:
        self.state.index_put_((at,), row)
        self.state.index_put_((at + 1,), row * 2)
        return self.state, self.state.sum()


class _Old(torch.nn.Module):
    """The state before a row of it is set is looked at afterwards, through a view."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("state", torch.ones(4, 3))

    def forward(self, at: torch.Tensor, row: torch.Tensor) -> Any:
        before = self.state.view(12)
        new = torch.index_put(self.state, (at,), row)
        total = before * 2
        self.state.copy_(new)
        return total, new.sum()


class _Temporary(torch.nn.Module):
    """What is changed is no state, and a view of it as it was is used afterwards."""

    def forward(self, at: torch.Tensor, row: torch.Tensor) -> Any:
        rows = row.expand(4, 3) + 1
        before = rows.reshape(12)
        once = torch.index_put(rows, (at,), row)
        twice = torch.index_put(once, (at + 1,), row, accumulate=True)
        return twice.reshape(12), before * 2


class _Swap(torch.nn.Module):
    """Each of two states becomes what the other one was, with a row set."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("a", torch.zeros(4, 3))
        self.register_buffer("b", torch.ones(4, 3))

    def forward(self, at: torch.Tensor, row: torch.Tensor) -> Any:
        a, b = torch.index_put(self.a, (at,), row), torch.index_put(self.b, (at,), row * 3)
        self.a.copy_(b)
        self.b.copy_(a)
        return a + b


def _lowered(module: torch.nn.Module, inputs: tuple[Any, ...], run_reinplace_pass: bool) -> Any:
    from executorch.exir import ExecutorchBackendConfig, to_edge

    edge = to_edge(torch.export.export(copy.deepcopy(module), inputs))
    return edge.to_executorch(ExecutorchBackendConfig(run_reinplace_pass=run_reinplace_pass))


def _calls(module: torch.nn.Module) -> list[Call]:
    """What three calls in turn give in eager PyTorch."""
    every = []
    for position in range(3):
        inputs = (torch.tensor([position]), torch.randn(1, 3))
        expected = pytree.tree_map(torch.clone, module(*inputs))
        every.append(Call("forward", inputs, tuple(pytree.tree_leaves(expected))))
    return every


@pytest.mark.parametrize("made, in_place", [(_Cache, 2), (_Old, 1), (_Temporary, 2), (_Swap, 2)])
def test_operators_in_place_compute_what_functional_ones_do(made: type[torch.nn.Module], in_place: int) -> None:
    torch.manual_seed(0)
    module = made()
    inputs = (torch.tensor([0]), torch.randn(1, 3))
    for option, expected in ((False, 0), (True, in_place)):
        program = _lowered(module, inputs, option)
        names = operator_names(program.exported_program())
        assert names.count("aten::index_put_") == expected, names
        assert replay(program.buffer, _calls(copy.deepcopy(module)), {}, "--atol=1e-6", "--rtol=0") == ""


def test_a_state_that_is_changed_where_it_lies_is_copied_only_where_it_leaves() -> None:
    inputs = (torch.tensor([0]), torch.randn(1, 3))
    names = operator_names(_lowered(_Cache(), inputs, True).exported_program())
    assert "aten::copy_" not in names and names.count("aten::clone.out") == 1
