"""Tests that casts agree with PyTorch."""

import pytest
import torch
from torch.export import Dim

from backends.cpu.compiler.testing.compare import assert_computes, specs
from backends.cpu.schema.quantization import Cast


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32])
def test_floats_are_cut_off_to_integers(dtype: torch.dtype) -> None:
    x = torch.tensor([[2.9, -2.9, 0.0], [-0.5, 1e9, 7.0]])
    assert Cast() in specs(lambda x: x.to(dtype) + 1, x)
    assert_computes(lambda x: x.to(dtype) + 1, x)
    shapes = ({0: Dim("rows", min=1, max=9)},)
    assert_computes(lambda x: x.to(dtype) * 2, x, dynamic_shapes=shapes, others=[(torch.randn(7, 3) * 9,)])
