"""Tests that batch norms are folded into the preceding operator."""

import pytest
import torch
from torch import nn

from exir.decomposition.decompose import to_core_aten
from exir.graph.exact import square_root
from exir.passes.fold_batch_norm import FoldBatchNorm
from exir.passes.propagate_constants import PropagateConstants
from exir.testing import models, programs
from exir.testing.graphs import assert_same, operator_names, run, run_module

NORM = "aten::_native_batch_norm_legit_no_training"
CASES = {**models.ALL, **programs.CASES}
FOLDED = (
    *("conv_bn_relu", "convolution1d", "dynamicconvolution", "normalizedlinear"),
    *("residualblock", "sharedconvolution", "transposedconvolution"),
)


def _fold_layer(name: str):
    example = CASES[name]()
    program = PropagateConstants().run(to_core_aten(example.export(), {}))
    return example, FoldBatchNorm().run(program)


@pytest.mark.parametrize("name", FOLDED)
def test_folded_batch_norm_preserves_results(name: str) -> None:
    example, program = _fold_layer(name)
    assert NORM not in operator_names(program)
    expected = run_module(example.module, example.inputs)
    assert_same(run(program, example.inputs), expected, 1e-5, 1e-5)


def test_convolution_without_bias_gets_one_named_after_its_weight() -> None:
    _, program = _fold_layer("conv_bn_relu")
    assert "layers.0.bias" in program.constants


def test_folded_square_roots_are_correctly_rounded() -> None:
    """Weights of 1 are scaled to the reciprocal square roots of the variances."""
    linear, norm = nn.Linear(999, 999, bias=False), nn.BatchNorm1d(999, eps=5e-324)
    nn.init.eye_(linear.weight)
    assert norm.running_var is not None
    norm.running_var.uniform_(1, 2, generator=torch.Generator().manual_seed(1))
    example = models.Example(nn.Sequential(linear, norm).double().eval(), (torch.randn(1, 999),))
    module, inputs = example.module, (example.inputs[0].double(),)
    program = FoldBatchNorm().run(
        PropagateConstants().run(to_core_aten(torch.export.export(module, inputs), {}))
    )
    weight = next(value for value in program.state_dict.values() if value.shape == (999, 999))
    assert torch.equal(weight.diagonal(), 1 / square_root(norm.running_var))


def test_folding_does_not_change_the_models_weights() -> None:
    example, program = _fold_layer("conv_bn_relu")
    weight = example.module.layers[0].weight
    assert program.state_dict["layers.0.weight"] is not weight
    assert_same([weight], [models.conv_bn_relu().module.layers[0].weight])


def test_weight_that_two_convolutions_share_is_folded_for_each() -> None:
    _, program = _fold_layer("sharedconvolution")
    used = [node for node in program.graph.find_nodes(op="placeholder") if node.users]
    assert len([node for node in used if node.meta["val"].shape == (4, 4, 3, 3)]) == 2


def test_gemm_of_a_matrix_with_itself_is_preserved() -> None:
    class Squared(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight, self.norm = nn.Parameter(torch.randn(4, 4)), nn.BatchNorm1d(4)
            self.norm.weight.data.uniform_(0.3, 3)

        def forward(self, x):
            return self.norm(torch.mm(self.weight, self.weight)) + x

    example = models.Example(Squared().eval(), (torch.randn(4, 4),))
    program = FoldBatchNorm().run(to_core_aten(example.export(), {}))
    assert_same(run(program, example.inputs), run_module(example.module, example.inputs), 1e-5, 1e-5)


def test_norm_of_a_shared_value_is_not_folded() -> None:
    example = models.Example(_BranchingNorm().eval(), (torch.randn(1, 2, 4, 4),))
    program = FoldBatchNorm().run(to_core_aten(example.export(), {}))
    assert NORM in operator_names(program)


def test_norm_without_a_bias_is_folded() -> None:
    example = models.Example(_WeightOnlyNorm().eval(), (torch.randn(1, 2, 4, 4),))
    program = FoldBatchNorm().run(to_core_aten(example.export(), {}))
    assert NORM not in operator_names(program)
    expected = run_module(example.module, example.inputs)
    assert_same(run(program, example.inputs), expected, 1e-5, 1e-5)


def test_norm_of_a_gemm_of_two_inputs_is_not_folded() -> None:
    example = models.Example(_NormalizedLinear().eval(), (torch.randn(3, 4), torch.randn(4, 2)))
    program = FoldBatchNorm().run(to_core_aten(example.export(), {}))
    assert NORM in operator_names(program)


@pytest.mark.parametrize("norm_source", ["mean", "variance"])
def test_norm_with_input_statistics_is_not_folded(norm_source: str) -> None:
    class Normalized(_WeightOnlyNorm):
        def forward(self, x, statistic):
            statistics = {"mean": self.mean, "variance": self.variance, norm_source: statistic}
            return nn.functional.batch_norm(self.conv(x), *statistics.values(), self.scale)

    example = models.Example(Normalized().eval(), (torch.randn(1, 2, 4, 4), torch.ones(2)))
    program = FoldBatchNorm().run(to_core_aten(example.export(), {}))
    assert NORM in operator_names(program)


class _NormalizedLinear(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(2)

    def forward(self, x, y):
        return self.norm(torch.mm(x, y))


class _WeightOnlyNorm(nn.Module):
    """A batch norm with a weight and without a bias."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.scale = nn.Conv2d(2, 2, 1), nn.Parameter(torch.tensor([2.0, 3.0]))
        self.register_buffer("mean", torch.tensor([1.0, -1.0]))
        self.register_buffer("variance", torch.tensor([0.5, 2.0]))

    def forward(self, x):
        return nn.functional.batch_norm(self.conv(x), self.mean, self.variance, self.scale)


class _BranchingNorm(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv, self.norm = nn.Conv2d(2, 2, 1), nn.BatchNorm2d(2)

    def forward(self, x):
        y = self.conv(x)
        return y, self.norm(y)
