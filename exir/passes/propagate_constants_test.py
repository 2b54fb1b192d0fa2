"""Tests that operators on constants are computed at compile time."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch._higher_order_ops import while_loop
from torch.nn import functional as F
from torch.nn.utils import parametrizations

from exir.decomposition.decompose import to_core_aten
from exir.graph.exact import square_root
from exir.passes.propagate_constants import PropagateConstants
from exir.testing import models, programs
from exir.testing.graphs import assert_same, operator_names, run, run_module
from exir.testing.models import Example


@pytest.fixture(autouse=True)
def _seeded_generator() -> None:
    torch.manual_seed(0)


def _propagate(example: Example, max_growth: int = 4096):
    return PropagateConstants(max_growth).run(to_core_aten(example.export(), {}))


def test_linear_weight_is_stored_in_gemm_layout() -> None:
    example = models.mlp()
    program = _propagate(example)
    assert "aten::permute_copy" not in operator_names(program)
    assert program.state_dict["layers.0.weight"].shape == (8, 16)
    assert program.state_dict["layers.0.weight"].is_contiguous()
    assert_same(run(program, example.inputs), run_module(example.module, example.inputs))


class _RecurrentLinear(nn.Module):
    """A linear layer in a loop, whose weight is also read outside."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(32, 32)

    def forward(self, x: Tensor) -> Tensor:
        def body(i: Tensor, a: Tensor) -> tuple[Tensor, Tensor]:
            return i + 1, torch.tanh(self.layer(a))

        return while_loop(lambda i, a: i < 3, body, (torch.tensor(0), x))[1] + self.layer.weight


def test_linear_weight_in_a_loop_is_transposed_at_compile_time() -> None:
    example = Example(_RecurrentLinear().eval(), (torch.rand(32, 32),))
    program = _propagate(example)
    assert "aten::permute_copy" not in operator_names(program)
    assert_same(run(program, example.inputs), run_module(example.module, example.inputs))


class _RepeatedLayer(nn.Module):
    """A layer that is applied several times.

    `reads` adds an untransposed use of its weight.
    """

    def __init__(self, reads: bool) -> None:
        super().__init__()
        self.layer = nn.Linear(64, 64)
        self.reads = reads

    def forward(self, x: Tensor) -> Tensor:
        for _ in range(4):
            x = self.layer(x).tanh()
        return x + self.layer.weight if self.reads else x


@pytest.mark.parametrize("reads", [False, True])
def test_weight_of_a_repeated_layer_is_transposed_once(reads: bool) -> None:
    example = Example(_RepeatedLayer(reads).eval(), (torch.rand(64, 64),))
    program = _propagate(example)
    assert "aten::permute_copy" not in operator_names(program)
    matrices = [tensor for tensor in program.state_dict.values() if tensor.dim() == 2]
    assert len(matrices) + len(program.constants) == 1 + reads
    assert_same(run(program, example.inputs), run_module(example.module, example.inputs))


@pytest.mark.parametrize("layer", [nn.GRUCell(64, 64), nn.RNNCell(64, 64)])
def test_repeated_cell_does_not_transpose_its_weights(layer: nn.Module) -> None:
    class Loop(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = layer

        def forward(self, x: Tensor) -> Tensor:
            hidden = x[0]
            for row in x:
                hidden = self.layer(row, hidden)
            return hidden

    example = Example(Loop().eval(), (torch.rand(5, 2, 64),))
    program = _propagate(example)
    assert "aten::permute_copy" not in operator_names(program)
    assert_same(run(program, example.inputs), run_module(example.module, example.inputs))


class _ScaledWeight(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.spread = nn.Parameter(torch.rand(512, generator=torch.Generator().manual_seed(1)) + 1)

    def forward(self, x: Tensor) -> Tensor:
        return x * torch.sqrt(self.spread)


def test_platform_dependent_rounding_is_left_to_the_program() -> None:
    class Exponential(_ScaledWeight):
        def forward(self, x: Tensor) -> Tensor:
            return x * torch.exp(self.spread)

    program = _propagate(Example(Exponential().eval(), (torch.randn(512),)))
    assert "aten::exp" in operator_names(program)


def test_square_roots_of_constants_are_correctly_rounded() -> None:
    program = _propagate(Example(_ScaledWeight().eval(), (torch.randn(512),)))
    (roots,) = program.state_dict.values()
    assert torch.equal(roots, square_root(_ScaledWeight().spread))


def test_replaced_weights_are_removed() -> None:
    program = _propagate(models.mlp())
    assert len(program.state_dict) == 4
    assert not program.constants


def test_weight_with_other_uses_is_stored_next_to_its_transpose() -> None:
    example = programs.CASES["tiedembedding"]()
    program = _propagate(example)
    shapes = sorted(tuple(t.shape) for t in (program.state_dict | program.constants).values())
    assert shapes == [(8, 10), (10, 8)]
    assert_same(run(program, example.inputs), run_module(example.module, example.inputs))


def test_mutated_buffer_is_not_folded() -> None:
    names = operator_names(_propagate(models.kv_cache()))
    assert names == operator_names(to_core_aten(models.kv_cache().export(), {}))


@pytest.mark.parametrize(("max_growth", "folded"), [(64, False), (1024, True)])
def test_constants_grow_within_the_limit(max_growth: int, folded: bool) -> None:
    program = _propagate(Example(_ExpandingConstant().eval(), (torch.randn(16, 4),)), max_growth)
    assert ("aten::expand_copy" not in operator_names(program)) is folded


class _ExpandingConstant(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.row = nn.Parameter(torch.randn(4))

    def forward(self, x: Tensor) -> Tensor:
        return torch.cat([x, self.row.expand(16, 4)])


class _StandardizedConv(nn.Conv2d):
    """A convolution that standardizes its weight at each call."""

    def forward(self, x: Tensor) -> Tensor:
        mean = self.weight.mean(dim=(1, 2, 3), keepdim=True)
        variance = self.weight.var(dim=(1, 2, 3), keepdim=True, correction=0)
        return F.conv2d(x, (self.weight - mean) * torch.rsqrt(variance + 1e-5) * 0.7, self.bias)


class _NormedByBatchNorm(nn.Conv2d):
    """A convolution that standardizes its weight with a batch norm."""

    def __init__(self) -> None:
        super().__init__(8, 16, 3)
        self.gain = nn.Parameter(torch.rand(16) + 1)

    def forward(self, x: Tensor) -> Tensor:
        rows = self.weight.reshape(1, self.out_channels, -1)
        normed = F.batch_norm(
            rows, None, None, weight=self.gain * 0.2, training=True, momentum=0.0, eps=1e-6
        )
        return F.conv2d(x, normed.reshape_as(self.weight), self.bias)


@pytest.mark.parametrize(
    "make",
    [
        lambda: _StandardizedConv(8, 16, 3),
        _NormedByBatchNorm,
        lambda: parametrizations.weight_norm(nn.Conv2d(8, 16, 3)),
        lambda: parametrizations.spectral_norm(nn.Conv2d(8, 16, 3)),
    ],
)
def test_weights_computed_from_constants_are_stored(
    make: Callable[[], nn.Module],
) -> None:
    example = Example(make().eval(), (torch.randn(1, 8, 6, 6),))
    program = _propagate(example)
    assert operator_names(program) == ["aten::convolution"]
    assert sum(tensor.numel() for tensor in program.state_dict.values()) == 16 * 8 * 9 + 16
    assert not program.constants
    assert_same(run(program, example.inputs), run_module(example.module, example.inputs))


class _ScaledCodes(nn.Module):
    """An int8 weight with computed scales."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("codes", torch.randint(-8, 8, (64, 256), dtype=torch.int8))
        self.register_buffer("ranges", torch.rand(64, 1) + 1)

    def forward(self, x: Tensor) -> Tensor:
        return x @ ((self.codes - 3).to(torch.float32) * (self.ranges.abs().amax() / 7)).t()


def test_quantized_values_are_not_dequantized_in_the_file() -> None:
    example = Example(_ScaledCodes().eval(), (torch.randn(2, 256),))
    program = _propagate(example)
    constants = [*program.state_dict.values(), *program.constants.values()]
    assert sorted(tensor.nbytes for tensor in constants) == [4, 64 * 256]
    assert operator_names(program) == [*_CODES_BECOME_FLOATS, "aten::mm"]
    assert_same(run(program, example.inputs), run_module(example.module, example.inputs), atol=1e-4)


_CODES_BECOME_FLOATS = ["aten::_to_copy", "aten::mul.Tensor", "aten::permute_copy"]


def test_intermediate_constants_are_not_stored() -> None:
    class Summed(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.wide = nn.Parameter(torch.randn(64, 64))

        def forward(self, x: Tensor) -> Tensor:
            return x * (self.wide * 2).sum() + self.wide[0, 0] * self.wide.abs().sum(1)

    example = Example(Summed().eval(), (torch.randn(64),))
    program = _propagate(example)
    assert operator_names(program) == ["aten::mul.Tensor", "aten::add.Tensor"]
    constants = [*program.state_dict.values(), *program.constants.values()]
    assert sorted(tensor.numel() for tensor in constants) == [1, 64]
    assert_same(run(program, example.inputs), run_module(example.module, example.inputs), rtol=1e-4)


class _CausalMask(nn.Module):
    """A causal mask of positions."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size

    def forward(self, x: Tensor) -> Tensor:
        at = torch.arange(self.size)
        seen = (at[:, None] >= at) & (at[:, None] < at + 9)
        return torch.where(seen, x, -1.0)


@pytest.mark.parametrize(("size", "folded"), [(16, True), (128, False)])
def test_small_position_masks_are_stored(size: int, folded: bool) -> None:
    example = Example(_CausalMask(size).eval(), (torch.randn(size, size),))
    program = _propagate(example)
    assert ("aten::bitwise_and.Tensor" not in operator_names(program)) is folded
    assert sum(tensor.nbytes for tensor in program.constants.values()) <= 4096
    assert_same(run(program, example.inputs), run_module(example.module, example.inputs))


def test_lone_arange_or_fill_is_not_folded() -> None:
    class Ranged(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x + torch.arange(8) + torch.full((8,), 3.0)

    program = _propagate(Example(Ranged().eval(), (torch.randn(8),)))
    assert "aten::arange.start_step" in operator_names(program)
    assert "aten::full" in operator_names(program)


def test_weight_is_stored_at_most_twice() -> None:
    class Both(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.randn(64, 64))

        def forward(self, x: Tensor) -> Tensor:
            return x @ self.weight + x @ (self.weight * 2) + x @ self.weight.abs()

    program = _propagate(Example(Both().eval(), (torch.randn(2, 64),)))
    constants = [*program.state_dict.values(), *program.constants.values()]
    assert sum(tensor.nbytes for tensor in constants if tensor.dim() == 2) == 2 * 64 * 64 * 4
