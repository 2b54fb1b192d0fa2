"""Tests that interpolation of rows, images and volumes agrees with PyTorch."""

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.export import Dim

from backends.cpu.compiler.testing.compare import assert_computes, ops, specs
from backends.cpu.schema.convolution import ConvF32
from backends.cpu.schema.copies import Permute
from backends.cpu.schema.resampling import Resize


def _shape(rank: int) -> tuple[int, ...]:
    return (2, 3, *(4, 5, 7)[:rank])


@pytest.mark.parametrize(
    ("mode", "rank", "options"),
    [
        *(("nearest", rank, {}) for rank in (1, 2, 3)),
        *(("nearest-exact", rank, {}) for rank in (1, 2, 3)),
        *((("linear", "bilinear", "trilinear")[rank - 1], rank, {}) for rank in (1, 2, 3)),
        *((("linear", "bilinear", "trilinear")[rank - 1], rank, {"align_corners": True}) for rank in (1, 2, 3)),
        ("bicubic", 2, {}),
        ("bicubic", 2, {"align_corners": True}),
    ],
)
def test_interpolation_by_size_and_by_scale_factor(mode: str, rank: int, options: dict[str, Any]) -> None:
    x = torch.randn(_shape(rank))
    made = list(specs(lambda x: F.interpolate(x, scale_factor=2, mode=mode, **options), x))
    assert {type(each) for each in made} == {Resize, Permute}
    for how in ({"scale_factor": 2}, {"scale_factor": 1.7}, {"size": (3, 8, 13)[:rank]}):
        assert_computes(lambda x, how=how: F.interpolate(x, mode=mode, **how, **options), x)


def test_no_permutation_between_convolutions_and_interpolation() -> None:
    network = nn.Sequential(nn.Conv2d(3, 8, 3), nn.Upsample(scale_factor=2, mode="bilinear"), nn.Conv2d(8, 4, 3))
    made = [op.spec for op in ops(network, torch.randn(1, 3, 9, 9)).ops]
    assert [type(each) for each in made] == [ConvF32, Resize, ConvF32, Permute]


@pytest.mark.parametrize("mode", ["nearest", "bilinear"])
def test_interpolation_to_a_dynamic_size(mode: str) -> None:
    def to_size(x: Tensor, y: Tensor) -> Tensor:
        return F.interpolate(x, size=y.shape[-2:], mode=mode) + y

    h, w = Dim("h", min=4, max=20), Dim("w", min=4, max=20)
    others = [(torch.randn(1, 3, 4, 5), torch.randn(1, 3, 20, 4))]
    given = torch.randn(1, 3, 4, 5), torch.randn(1, 3, 9, 8)
    assert_computes(to_size, *given, dynamic_shapes=({}, {2: h, 3: w}), others=others)


def test_doubling_a_dynamic_size() -> None:
    def twice(x: Tensor) -> Tensor:
        return F.interpolate(x, scale_factor=2.0)

    others = [(torch.randn(1, 3, 20, 5),)]
    shapes = ({2: Dim("h", min=4, max=20)},)
    assert_computes(twice, torch.randn(1, 3, 7, 5), dynamic_shapes=shapes, others=others)
