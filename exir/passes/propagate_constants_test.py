"""What constants alone decide is computed once."""

import pytest
import torch
from torch import Tensor, nn

from exir.decomposition.decompose import to_core_aten
from exir.graph.square_root import square_root
from exir.passes.propagate_constants import PropagateConstants
from exir.testing import models, programs
from exir.testing.graphs import assert_same, operator_names, run, run_module
from exir.testing.models import Example


def _propagated(example: Example, max_growth: int = 4096):
    return PropagateConstants(max_growth).run(to_core_aten(example.export(), {}))


def test_weight_of_a_linear_layer_is_stored_as_its_product_reads_it() -> None:
    example = models.mlp()
    program = _propagated(example)
    assert "aten::permute_copy" not in operator_names(program)
    assert program.state_dict["layers.0.weight"].shape == (8, 16)
    assert program.state_dict["layers.0.weight"].is_contiguous()
    assert_same(run(program, example.inputs), run_module(example.module, example.inputs))


class _Scaled(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.spread = nn.Parameter(torch.rand(512, generator=torch.Generator().manual_seed(1)) + 1)

    def forward(self, x: Tensor) -> Tensor:
        return x * torch.sqrt(self.spread)


def test_operator_that_may_round_otherwise_elsewhere_is_left_to_the_program() -> None:
    class Exponential(_Scaled):
        def forward(self, x: Tensor) -> Tensor:
            return x * torch.exp(self.spread)

    program = _propagated(Example(Exponential().eval(), (torch.randn(512),)))
    assert "aten::exp" in operator_names(program)


def test_square_roots_of_constants_are_correctly_rounded() -> None:
    program = _propagated(Example(_Scaled().eval(), (torch.randn(512),)))
    (roots,) = program.state_dict.values()
    assert torch.equal(roots, square_root(_Scaled().spread))


def test_replaced_weights_leave_the_program() -> None:
    program = _propagated(models.mlp())
    assert len(program.state_dict) == 4
    assert not program.constants


def test_weight_that_is_also_used_as_it_is_stays_beside_its_transpose() -> None:
    example = programs.CASES["tiedembedding"]()
    program = _propagated(example)
    shapes = sorted(tuple(t.shape) for t in (program.state_dict | program.constants).values())
    assert shapes == [(8, 10), (10, 8)]
    assert_same(run(program, example.inputs), run_module(example.module, example.inputs))


def test_buffer_that_the_program_writes_to_is_no_constant() -> None:
    names = operator_names(_propagated(models.kv_cache()))
    assert names == operator_names(to_core_aten(models.kv_cache().export(), {}))


@pytest.mark.parametrize(("max_growth", "folded"), [(64, False), (1024, True)])
def test_constants_grow_within_the_bound_only(max_growth: int, folded: bool) -> None:
    program = _propagated(Example(_Expanding().eval(), (torch.randn(16, 4),)), max_growth)
    assert ("aten::expand_copy" not in operator_names(program)) is folded


class _Expanding(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.row = nn.Parameter(torch.randn(4))

    def forward(self, x: Tensor) -> Tensor:
        return torch.cat([x, self.row.expand(16, 4)])
