"""Tests that operators without an effect are removed."""

import torch

from exir.decomposition.decompose import to_core_aten
from exir.graph.program_update import with_names_of_graph
from exir.passes.remove_noops import RemoveNoops
from exir.testing import models, programs
from exir.testing.graphs import assert_same, operator_names, run, run_module
from exir.testing.models import Example


class _Function(torch.nn.Module):
    def __init__(self, function) -> None:
        super().__init__()
        self._function = function

    def forward(self, x):
        return self._function(x)


def _names(function, x: torch.Tensor) -> list[str]:
    program = to_core_aten(Example(_Function(function), (x,)).export(), {})
    return operator_names(RemoveNoops().run(program))


def test_copies_views_and_casts_that_change_nothing_go() -> None:
    def function(x):
        x = x.clone().view(2, 3).expand(2, 3).permute(0, 1).contiguous()
        return x.to(torch.float32).reshape(2, 3)[:].detach().relu()

    assert _names(function, torch.ones(2, 3)) == ["aten::relu"]


def test_dropout_of_inference_goes() -> None:
    program = RemoveNoops().run(to_core_aten(models.mlp().export(), {}))
    assert "aten::clone" not in operator_names(program)


def test_change_of_layout_stays() -> None:
    def function(x):
        return x.contiguous(memory_format=torch.channels_last).relu()

    assert _names(function, torch.ones(1, 2, 3, 4)) == ["aten::clone", "aten::relu"]


def test_output_does_not_become_an_input() -> None:
    assert _names(lambda x: x.clone(), torch.ones(2)) == ["aten::clone"]


def test_copy_onto_a_buffer_is_the_copied_value() -> None:
    example = programs.CASES["counters"]()
    program = RemoveNoops().run(to_core_aten(example.export(), {}))
    assert "aten::copy" not in operator_names(program)
    assert_same(run(program, example.inputs), run_module(example.module, example.inputs))


class _Twice(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("first", torch.zeros(2))
        self.register_buffer("second", torch.zeros(2))

    def forward(self, x):
        value = x + 1
        self.first.copy_(value)
        self.second.copy_(value)
        return value * 2


def test_states_that_get_one_value_keep_names_of_their_own() -> None:
    program = RemoveNoops().run(to_core_aten(Example(_Twice(), (torch.ones(2),)).export(), {}))
    written = with_names_of_graph(program).graph_signature.buffers_to_mutate
    assert sorted(written.values()) == ["first", "second"]
