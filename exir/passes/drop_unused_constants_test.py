"""Tests that programs have no unused constants."""

import torch
from torch import nn

from exir.decomposition.decompose import to_core_aten
from exir.passes.drop_unused_constants import DropUnusedConstants
from exir.testing import models
from exir.testing.graphs import assert_same, calls, operator_names, run, run_module


def test_unused_buffers_are_removed_from_graph_and_state() -> None:
    example = models.conv_bn_relu()
    program = DropUnusedConstants().run(to_core_aten(example.export(), {}))
    names = [spec.target for spec in program.graph_signature.input_specs]
    assert not any("num_batches_tracked" in str(name) for name in names)
    assert not any("num_batches_tracked" in name for name in program.state_dict)
    program.validate()
    assert_same(run(program, example.inputs), run_module(example.module, example.inputs))


def test_dead_code_is_removed_with_its_constants() -> None:
    program = to_core_aten(models.mlp().export(), {})
    relu, addmm = (calls(program)[index] for index in (2, -1))
    addmm.replace_all_uses_with(relu)
    program = DropUnusedConstants().run(program)
    assert operator_names(program) == ["aten::permute_copy", "aten::addmm", "aten::relu"]
    assert list(program.state_dict) == ["layers.0.weight", "layers.0.bias"]


def test_write_only_buffer_is_preserved() -> None:
    example = models.Example(_LastRow().eval(), (torch.ones(2),))
    program = DropUnusedConstants().run(to_core_aten(example.export(), {}))
    assert list(program.graph_signature.buffers_to_mutate.values()) == ["last"]
    assert "last" in program.state_dict


class _LastRow(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("last", torch.zeros(2))

    def forward(self, x):
        self.last.copy_(x)
        return x * 2
