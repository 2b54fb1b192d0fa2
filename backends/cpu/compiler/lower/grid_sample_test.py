"""Tests that grid sampling agrees with PyTorch."""

import pytest
import torch
import torch.nn.functional as F
from torch.export import Dim

from backends.cpu.compiler.testing.compare import assert_computes, specs
from backends.cpu.schema.resampling import GridSample


@pytest.mark.parametrize("corners", [False, True])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
def test_grids(mode: str, padding: str, corners: bool) -> None:
    x, grid = torch.randn(2, 3, 6, 5), torch.rand(2, 4, 7, 2) * 3 - 1.5
    function = lambda x, grid: F.grid_sample(x, grid, mode, padding, corners)
    assert_computes(function, x, grid, tolerance=1e-4)
    (op,) = [each for each in specs(function, x, grid) if isinstance(each, GridSample)]
    assert op.words() == (
        {"bilinear": 0, "nearest": 1, "bicubic": 2}[mode],
        {"zeros": 0, "border": 1, "reflection": 2}[padding],
        int(corners),
    )


def test_grids_of_any_size() -> None:
    size = Dim("size", min=2, max=9)
    shapes = ({0: Dim("batch", min=1, max=3)}, {0: Dim("batch", min=1, max=3), 1: size})
    others = [(torch.randn(3, 1, 6, 5), torch.rand(3, 9, 2, 2)), (torch.randn(1, 1, 6, 5), torch.rand(1, 2, 2, 2))]
    function = lambda x, grid: F.grid_sample(x, grid, align_corners=True) * 2
    assert_computes(function, torch.randn(2, 1, 6, 5), torch.rand(2, 4, 2, 2), dynamic_shapes=shapes, others=others)
