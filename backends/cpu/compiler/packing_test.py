"""Weights in panels."""

import torch

from backends.cpu.compiler.packing import convolution_panels, group_bias, panels, taps, unpanelled


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


def test_each_group_has_panels_and_bias_of_its_own() -> None:
    assert convolution_panels(torch.ones(6, 2, 3, 3), 2).shape == (2, 1, 18, 16)
    assert group_bias(torch.arange(6.0), 2)[[0, 1, 2, 3, 16, 17, 18, 19]].tolist() == [0, 1, 2, 0, 3, 4, 5, 0]


def test_taps_of_a_channel_stand_below_each_other() -> None:
    packed = taps(torch.arange(36.0).reshape(4, 1, 3, 3))
    assert packed.shape == (1, 9, 16)
    assert packed[0, :, 1].tolist() == [float(n) for n in range(9, 18)]
