"""Tests that the compiler chooses the expected ops, and that results agree."""

from collections.abc import Sequence
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim

from backends.cpu.compiler import cost
from backends.cpu.compiler.plan import plan
from backends.cpu.compiler.testing.compare import assert_computes, ops, specs
from backends.cpu.schema import cost_model
from backends.cpu.schema.convolution import MbconvF32, WinogradF32
from backends.cpu.schema.kernel_sizes import MBCONV_MAX_ROWS
from backends.cpu.schema.records import RELU
from models.mobilenet import InvertedResidual, MobileNetV2

_WINOGRAD_TOLERANCE = 1e-4
_HALF = cost_model.ROW_TILING_MAX_BYTES // 2


def _image(*shape: int) -> Tensor:
    torch.manual_seed(0)
    return torch.randn(shape).to(memory_format=torch.channels_last)


@pytest.mark.parametrize(
    "channels, columns, size, option, side",
    [
        (32, 40, 12, "auto", 4),
        (32, 40, 12, "never", None),
        (32, 40, 11, "auto", 2),
        (32, 40, 6, "auto", 2),
        (32, 40, 5, "auto", None),
        (16, 40, 12, "auto", None),
        (5, 7, 5, "always", 2),
        (5, 7, 12, "always", 4),
    ],
)
def test_winograd_is_chosen_by_shape_and_option(
    channels: int, columns: int, size: int, option: str, side: int | None
) -> None:
    module = nn.Sequential(nn.Conv2d(channels, columns, 3, padding=1), nn.ReLU())
    x = _image(1, channels, size, size)
    (chosen, *_) = specs(module, x, winograd=option)
    assert (chosen.side if isinstance(chosen, WinogradF32) else None) == side
    assert_computes(module, x, tolerance=_WINOGRAD_TOLERANCE, winograd=option)


@pytest.mark.parametrize("shape", [(4, 4), (5, 7), (3, 3), (14, 15), (17, 12)])
@pytest.mark.parametrize("pads", [0, (1, 1), (2, 0)])
def test_winograd_tiles_may_extend_beyond_the_image(shape: tuple[int, int], pads: Any) -> None:
    module = nn.Conv2d(5, 20, 3, padding=pads)
    assert_computes(module, _image(2, 5, *shape), tolerance=_WINOGRAD_TOLERANCE, winograd="always")


@pytest.mark.parametrize(
    "module",
    [
        nn.Conv2d(32, 32, 3, stride=2, padding=1),
        nn.Conv2d(32, 32, 3, dilation=2),
        nn.Conv2d(32, 32, 3, groups=2),
        nn.Conv2d(32, 32, 5),
        nn.Conv2d(3, 32, 3),
    ],
)
def test_convolutions_that_winograd_does_not_support_stay_direct(module: nn.Conv2d) -> None:
    x = torch.randn(1, module.in_channels, 16, 16)
    assert not any(isinstance(each, WinogradF32) for each in specs(module, x, winograd="always"))


def _blocks(module: nn.Module, x: Tensor, **options: Any) -> Sequence[MbconvF32]:
    return [each for each in specs(module, x, **options) if isinstance(each, MbconvF32)]


@pytest.mark.parametrize("stride", [1, 2])
def test_a_large_expansion_is_fused_with_row_tiling(stride: int) -> None:
    module, x = InvertedResidual(16, 16, stride, 6).eval(), _image(1, 16, 60, 40)
    (block,) = _blocks(module, x)
    assert block.rows == (2 if stride == 1 else 3)
    assert block.ring == (4 if stride == 1 else 7)
    assert_computes(module, x)
    assert _blocks(module, x, row_tiling="never") == []


def test_a_small_expansion_is_computed_layer_by_layer() -> None:
    module, x = InvertedResidual(16, 16, 1, 6).eval(), _image(1, 16, 14, 14)
    assert _blocks(module, x) == []
    assert len(_blocks(module, x, row_tiling="always")) == 1


def test_stem_can_be_the_expansion() -> None:
    convolution = nn.Conv2d(3, 24, 3, stride=2, padding=1)
    filtering = nn.Conv2d(24, 24, 3, padding=1, groups=24)
    module = nn.Sequential(convolution, nn.ReLU(), filtering, nn.ReLU(), nn.Conv2d(24, 8, 1)).eval()
    x = torch.randn(2, 3, 160, 160)
    (block,) = _blocks(module, x)
    (only,) = block.blocks
    assert only.expand.planar and only.expand.activation == RELU
    assert_computes(module, x)


@pytest.mark.parametrize("kernel_rows", [MBCONV_MAX_ROWS, MBCONV_MAX_ROWS + 1])
def test_tall_depthwise_kernels_are_not_fused(kernel_rows: int) -> None:
    layers = (nn.Conv2d(4, 24, 1), nn.Conv2d(24, 24, (kernel_rows, 1), groups=24), nn.Conv2d(24, 8, 1))
    module, x = nn.Sequential(*layers).eval(), _image(1, 4, 40, 9)
    assert len(_blocks(module, x, row_tiling="always")) == (kernel_rows <= MBCONV_MAX_ROWS)
    assert_computes(module, x, row_tiling="always")


def _chain() -> nn.Module:
    """Return blocks whose intermediate images are as large as the input."""
    stem = nn.Sequential(nn.Conv2d(3, 24, 3, stride=2, padding=1), nn.ReLU())
    filtering = nn.Sequential(nn.Conv2d(24, 24, 3, padding=1, groups=24), nn.ReLU(), nn.Conv2d(24, 16, 1))
    return nn.Sequential(stem, filtering, InvertedResidual(16, 24, 2, 6), InvertedResidual(24, 24, 1, 6)).eval()


def test_large_images_between_blocks_are_computed_row_by_row() -> None:
    x = torch.randn(2, 3, 200, 220)
    first, second = _blocks(_chain(), x)
    assert [len(first.blocks), len(second.blocks)] == [2, 1]
    assert_computes(_chain(), x)


def test_images_with_two_readers_are_computed_as_a_whole() -> None:
    x = torch.randn(1, 3, 20, 30)
    assert [len(block.blocks) for block in _blocks(_chain(), x, row_tiling="always")] == [2, 1]
    assert_computes(_chain(), x, row_tiling="always")


def test_block_with_a_residual_does_not_start_a_chain() -> None:
    """The residual reads input rows that a chain does not keep."""
    blocks = InvertedResidual(16, 16, 1, 6), InvertedResidual(16, 24, 1, 6)
    module, x = nn.Sequential(nn.Conv2d(3, 16, 1), *blocks).eval(), torch.randn(1, 3, 20, 30)
    assert [len(block.blocks) for block in _blocks(module, x, row_tiling="always")] == [1, 1]
    assert_computes(module, x, row_tiling="always")


def test_chains_of_dynamic_images() -> None:
    height, width = Dim("height", min=8, max=60), Dim("width", min=8, max=60)
    x, others = torch.randn(1, 3, 20, 30), [[torch.randn(1, 3, 60, 60)], [torch.randn(1, 3, 8, 9)]]
    assert_computes(_chain(), x, dynamic_shapes=({2: height, 3: width},), others=others, row_tiling="always")


def test_blocks_of_dynamic_images() -> None:
    module = InvertedResidual(16, 16, 1, 6).eval()
    height, width = Dim("height", min=8, max=60), Dim("width", min=8, max=60)
    x = torch.randn(1, 16, 20, 30)
    others = [[torch.randn(1, 16, 60, 60)], [torch.randn(1, 16, 8, 9)]]
    assert_computes(module, x, dynamic_shapes=({2: height, 3: width},), others=others)


def test_mobilenet_scratch_is_within_its_bound() -> None:
    planned = plan(ops(MobileNetV2().eval(), torch.randn(1, 3, 224, 224)))
    image = 3 * 224 * 224 * 4  # planned by the method
    assert planned.size == planned.lower_bound <= 1_500_000 - image


def test_winograd_tiles_fit_in_the_cache() -> None:
    tiles = [cost.winograd_tiles(36 * (channels + 64)) for channels in (16, 64, 128, 256, 512, 2048)]
    assert tiles == [48, 40, 27, 16, 9, 6]


def test_winograd_batch_is_limited_to_the_tiles_of_all_images() -> None:
    (chosen, *_) = specs(nn.Conv2d(32, 32, 3, padding=1), _image(2, 32, 13, 14))
    assert isinstance(chosen, WinogradF32)
    assert (chosen.side, chosen.tiles) == (4, 2 * 4 * 4)


def test_large_workspaces_limit_the_threads() -> None:
    assert [cost.lanes(4, size) for size in (0, 1 << 10, 80 << 10, 150 << 10, 1 << 20)] == [4, 4, 3, 2, 2]
    assert cost.lanes(1, 1 << 20) == 1


@pytest.mark.parametrize("row_bytes, rows", [(_HALF // 2, 2), (_HALF // 2 + 1, 1), (_HALF, 1)])
def test_two_row_tiles_fit_in_the_cache(row_bytes: int, rows: int) -> None:
    assert cost.tile_rows(cost_model.ROW_TILING_PIXELS // 2, lambda rows: row_bytes * rows) == rows


def test_row_tiling_depends_on_image_sizes() -> None:
    # Blocks of EfficientNet-Lite0 and of MobileNetV2.
    assert [cost.prefers_row_tiling(4 * 14 * 14 * 672), cost.prefers_row_tiling(4 * 28 * 28 * 192)] == [False, True]
    assert [cost.prefers_chain(4 * 56 * 56 * 24), cost.prefers_chain(4 * 112 * 112 * 16)] == [False, True]
