"""Tests of the layouts of packed weights."""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from backends.cpu.compiler.packing import (
    convolution_panels,
    group_bias,
    panels,
    strassen_bias,
    strassen_panels,
    taps,
    unpanelled,
    unstrassen,
    winograd_codes,
    winograd_pairs,
    winograd_panels,
)

# Bᵀ and Aᵀ of F(2, 3) and F(4, 3) (Lavin & Gray 2016).
_INPUT = {
    2: torch.tensor([[1, 0, -1, 0], [0, 1, 1, 0], [0, -1, 1, 0], [0, 1, 0, -1]]),
    4: torch.tensor(
        [
            [4, 0, -5, 0, 1, 0],
            [0, -4, -4, 1, 1, 0],
            [0, 4, -4, -1, 1, 0],
            [0, -2, -1, 2, 1, 0],
            [0, 2, -1, -2, 1, 0],
            [0, 4, 0, -5, 0, 1],
        ]
    ),
}
_OUTPUT = {
    2: torch.tensor([[1, 1, 1, 0], [0, 1, -1, -1]]),
    4: torch.tensor([[1, 1, 1, 1, 1, 0], [0, 1, -1, 2, -2, 0], [0, 1, 1, 4, 4, 0], [0, 1, -1, 8, -8, 1]]),
}


def test_a_panel_has_sixteen_columns_side_by_side_and_zeros_at_the_end() -> None:
    weight = torch.arange(40.0).reshape(20, 2)
    packed = panels(weight)
    assert packed.shape == (2, 2, 16)
    assert packed[0, 1].tolist() == [float(2 * n + 1) for n in range(16)]
    assert packed[1, 0].tolist() == [32.0, 34.0, 36.0, 38.0] + [0.0] * 12
    assert torch.equal(unpanelled(packed, 20), weight)


def test_a_row_of_a_convolution_runs_over_taps_then_channels() -> None:
    weight = torch.arange(2 * 3 * 1 * 2.0).reshape(2, 3, 1, 2)
    packed = convolution_panels(weight, 1)
    assert packed.shape == (1, 1, 6, 16)
    assert packed[0, 0, :, 0].tolist() == [0.0, 2.0, 4.0, 1.0, 3.0, 5.0]


def test_each_group_has_its_own_panels_and_bias() -> None:
    assert convolution_panels(torch.ones(6, 2, 3, 3), 2).shape == (2, 1, 18, 16)
    assert group_bias(torch.arange(6.0), 2)[[0, 1, 2, 3, 16, 17, 18, 19]].tolist() == [0, 1, 2, 0, 3, 4, 5, 0]


def test_pairs_of_channels_are_adjacent_at_all_positions() -> None:
    codes = torch.randint(-128, 128, (48, 32, 3, 3), generator=torch.Generator().manual_seed(0)).to(torch.int8)
    packed = winograd_pairs(codes)
    assert packed.shape == (36, 3, 16, 32) and packed.dtype == torch.int16
    assert packed[0, 1, 2, 2 * 5 + 1] == 36 * int(codes[16 + 5, 5, 0, 0])
    assert packed[7, 1, 2, 2 * 5] == codes[16 + 5, 4].sum(dtype=torch.int16)
    assert torch.equal(winograd_codes(packed), codes.double())


def _winograd_tile(transformed: Tensor, image: Tensor) -> Tensor:
    """Return a tile of the convolution of `image`.

    The tile is [N, side, side], and `image` is [C, side + 2, side + 2]. `transformed` is [N, C, side + 2, side + 2], with the scales of the published transform.
    """
    side = image.shape[-1] - 2
    before, after = _INPUT[side].double(), _OUTPUT[side].double()
    sums = (transformed.double() * (before @ image.double() @ before.t())).sum(1)
    return after @ sums @ after.t()


@pytest.mark.parametrize("side", [2, 4])
def test_winograd_weights_match_direct_convolution(side: int) -> None:
    generator = torch.Generator().manual_seed(0)
    weight = torch.randn(16, 3, 3, 3, dtype=torch.float64, generator=generator)
    image = torch.randn(3, side + 2, side + 2, dtype=torch.float64, generator=generator)
    by_position = winograd_panels(weight, side)[:, 0]
    transformed = by_position.permute(2, 1, 0).unflatten(2, (side + 2, side + 2))
    torch.testing.assert_close(_winograd_tile(transformed, image), F.conv2d(image, weight))


def test_int8_winograd_weights_compute_the_convolution() -> None:
    generator = torch.Generator().manual_seed(0)
    codes, image = (
        torch.randint(-128, 128, shape, generator=generator).double() for shape in ((16, 2, 3, 3), (2, 6, 6))
    )
    by_position = winograd_pairs(codes.to(torch.int8))[:, 0, 0].reshape(36, 16, 2)
    scales = torch.tensor([24, -6, -6, 24, 24, 6])
    transformed = by_position.permute(1, 2, 0).unflatten(2, (6, 6)).double() / torch.outer(scales, scales)
    torch.testing.assert_close(_winograd_tile(transformed, image), F.conv2d(image, codes))


def test_taps_of_a_channel_are_consecutive_rows() -> None:
    packed = taps(torch.arange(36.0).reshape(4, 1, 3, 3))
    assert packed.shape == (1, 9, 16)
    assert packed[0, :, 1].tolist() == [float(n) for n in range(9, 18)]


def test_strassen_panels_are_grouped_by_columns() -> None:
    weight, bias = torch.arange(160 * 64.0).reshape(160, 64), torch.arange(160.0) ** 2
    packed = strassen_panels(weight)
    assert packed.shape == (7 * 5, 32, 16)
    # Quarters at k = 3, for column 33 of the first group and column 2 of the second group.
    for column, places in ((33, [4 * p + 2 for p in range(7)]), (66, [28 + p for p in range(7)])):
        a, c, b, d = (float(weight[n, k]) for n in (column, 80 + column) for k in (3, 35))
        sums = [float(packed[place, 3, column % 16]) for place in places]
        assert sums == [a, d - b + a, c, b - a, d - b, d, c - d + b - a]
    assert [each.tolist() for each in unstrassen(packed, strassen_bias(bias))] == [weight.tolist(), bias.tolist()]
