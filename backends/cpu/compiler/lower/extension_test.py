"""Tests that repetition and non-constant padding are copies."""

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.export import Dim

from backends.cpu.compiler.testing.compare import assert_computes, specs
from backends.cpu.schema.copies import Copy, Permute


@pytest.mark.parametrize(
    "function",
    [
        lambda x: F.pad(x, (1, 2, 3, 0), mode="reflect"),
        lambda x: F.pad(x[0], (3, 1), mode="reflect"),
        lambda x: F.pad(x, (5, 0, 1, 2), mode="replicate"),
        lambda x: F.pad(x, (1, 2, 3, 0), mode="circular"),
        lambda x: x.repeat(1, 2, 1, 3),
        lambda x: x.repeat(2, 1, 1, 1, 1),
        lambda x: x.tile(2, 1),
        lambda x: x.repeat_interleave(3, 1),
    ],
)
def test_repetition_and_padding_lower_to_copies(function: Any) -> None:
    x = torch.randn(1, 3, 4, 5)
    assert {type(each) for each in specs(function, x)} <= {Copy, Permute}
    assert_computes(function, x)
    assert_computes(lambda x: function(F.avg_pool2d(x, 1)), x)


def test_reflection_padding_of_images_of_dynamic_size() -> None:
    def function(x: Tensor) -> Tensor:
        return F.pad(x, (2, 2, 1, 1), mode="reflect")

    shapes = ({2: Dim("h", min=4, max=9)},)
    assert_computes(function, torch.randn(1, 3, 5, 4), dynamic_shapes=shapes, others=[(torch.randn(1, 3, 9, 4),)])
