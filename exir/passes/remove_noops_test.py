"""Tests that operators without an effect are removed."""

import torch

from exir.decomposition.decompose import to_core_aten
from exir.graph.program_update import with_names_of_graph
from exir.passes.remove_noops import RemoveNoops
from exir.testing import models, programs
from exir.testing.graphs import assert_same, operator_names, run, run_module
from exir.testing.models import Example


class _FunctionModule(torch.nn.Module):
    def __init__(self, function) -> None:
        super().__init__()
        self._function = function

    def forward(self, x):
        return self._function(x)


def _call_names(function, x: torch.Tensor) -> list[str]:
    program = to_core_aten(Example(_FunctionModule(function), (x,)).export(), {})
    return operator_names(RemoveNoops().run(program))


def test_identity_copies_views_and_casts_are_removed() -> None:
    def function(x):
        x = x.clone().view(2, 3).expand(2, 3).permute(0, 1).contiguous()
        return x.to(torch.float32).reshape(2, 3)[:].detach().relu()

    assert _call_names(function, torch.ones(2, 3)) == ["aten::relu"]


def test_dropout_in_eval_mode_is_removed() -> None:
    program = RemoveNoops().run(to_core_aten(models.mlp().export(), {}))
    assert "aten::clone" not in operator_names(program)


def test_layout_change_is_not_removed() -> None:
    def function(x):
        return x.contiguous(memory_format=torch.channels_last).relu()

    assert _call_names(function, torch.ones(1, 2, 3, 4)) == ["aten::clone", "aten::relu"]


def test_output_is_not_replaced_by_an_input() -> None:
    assert _call_names(lambda x: x.clone(), torch.ones(2)) == ["aten::clone"]


def test_full_copy_onto_a_buffer_is_its_source() -> None:
    example = programs.CASES["counters"]()
    program = RemoveNoops().run(to_core_aten(example.export(), {}))
    assert "aten::copy" not in operator_names(program)
    assert_same(run(program, example.inputs), run_module(example.module, example.inputs))


class _RepeatedCast(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("first", torch.zeros(2))
        self.register_buffer("second", torch.zeros(2))

    def forward(self, x):
        value = x + 1
        self.first.copy_(value)
        self.second.copy_(value)
        return value * 2


def test_states_with_one_value_keep_separate_names() -> None:
    program = RemoveNoops().run(to_core_aten(Example(_RepeatedCast(), (torch.ones(2),)).export(), {}))
    written = with_names_of_graph(program).graph_signature.buffers_to_mutate
    assert sorted(written.values()) == ["first", "second"]
