"""Tests that inverted residuals at the scratch peak are halved.

Results are bit-identical.
"""

import pytest
import torch
from torch import Tensor, nn

from backends.cpu.compiler.plan import plan
from backends.cpu.compiler.testing.compare import assert_computes, ops, specs
from models.mobilenet import InvertedResidual


def _image(channels: int, side: int = 14) -> Tensor:
    return torch.randn(1, channels, side, side).to(memory_format=torch.channels_last)


def _kinds(module: nn.Module, x: Tensor) -> list[str]:
    return [spec.op_name() for spec in specs(module, x)]


@pytest.mark.parametrize("columns", [96, 100])
def test_channels_of_the_widest_block_are_split(columns: int) -> None:
    module, x = InvertedResidual(96, columns, 1, 6).eval(), _image(96)
    assert _kinds(module, x) == ["gemm_f32", "dwconv_f32", "gemm_f32"] * 2
    assert_computes(module, x)


def test_partial_panels_of_channels_are_split() -> None:
    layers = (
        nn.Conv2d(40, 600, 1),
        nn.ReLU6(),
        nn.Conv2d(600, 600, 3, padding=1, groups=600),
        nn.ReLU(),
        nn.Conv2d(600, 24, 1),
    )
    module, x = nn.Sequential(*layers, nn.Hardswish()).eval(), _image(40)
    halves = [spec for spec in specs(module, x) if spec.op_name() == "gemm_f32"]
    assert len(halves) == 4
    assert_computes(module, x)


def test_channels_of_each_widest_block_are_split() -> None:
    module = nn.Sequential(*(InvertedResidual(96, 96, 1, 6) for _ in range(3))).eval()
    planned = plan(ops(module, _image(96)))
    expanded, image = 4 * 14 * 14 * 288, 4 * 14 * 14 * 96
    assert planned.size == planned.lower_bound == 2 * expanded + image


@pytest.mark.parametrize("channels", [8, 64])
def test_small_blocks_are_not_split(channels: int) -> None:
    assert _kinds(InvertedResidual(channels, channels, 1, 6).eval(), _image(channels)) == [
        "gemm_f32",
        "dwconv_f32",
        "gemm_f32",
    ]


def test_blocks_with_other_readers_are_not_split() -> None:
    class Shared(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.expand = nn.Conv2d(96, 576, 1)
            self.filter = nn.Conv2d(576, 576, 3, padding=1, groups=576)
            self.project = nn.Conv2d(576, 96, 1)

        def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
            filtered = self.filter(self.expand(x))
            return self.project(filtered), filtered.mean((2, 3))

    module, x = Shared().eval(), _image(96)
    assert _kinds(module, x).count("dwconv_f32") == 1
    assert_computes(module, x)
