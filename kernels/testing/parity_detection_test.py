"""Test that kernels of torchvision's operators match their definitions."""

from __future__ import annotations

import pytest
import torch

from exir.dialects import detection
from kernels.testing.native import KernelError
from kernels.testing.parity import FLOATING, channels_last, check, load_kernels, random_tensor

KERNELS = load_kernels()
NMS, ROI_ALIGN = "torchvision::nms.out", "torchvision::roi_align.out"


def boxes_of(count: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    corners = random_tensor((count, 2), dtype).abs() * 10
    return torch.cat([corners, corners + 2 + random_tensor((count, 2), dtype, seed=1).abs() * 8], 1)


def check_kept(boxes: torch.Tensor, scores: torch.Tensor, threshold: float) -> None:
    """Check which boxes are kept; the output has space for all boxes."""
    out = torch.empty(len(boxes), dtype=torch.int64)
    KERNELS.call(NMS, boxes, scores, threshold, out, out)
    assert out.tolist() == detection.nms(boxes, scores, threshold).tolist()


@pytest.mark.parametrize("threshold", [0.0, 0.3, 0.7, 1.0])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_nms_keeps_the_highest_scoring_boxes(dtype: torch.dtype, threshold: float) -> None:
    for count in (0, 1, 7, 60):
        boxes, scores = boxes_of(count, dtype), random_tensor((count,), dtype, seed=2)
        check_kept(boxes, scores, threshold)


def test_nms_keeps_the_order_of_equal_scores() -> None:
    boxes = boxes_of(20)
    scores = (torch.arange(20) % 3).float()
    check_kept(boxes, scores, 0.3)


def test_nms_keeps_duplicate_boxes_once() -> None:
    boxes = boxes_of(1).repeat(9, 1)
    check_kept(boxes, torch.rand(9), 0.5)


@pytest.mark.parametrize(
    ("boxes", "scores"),
    [((3, 4), (4,)), ((3, 5), (3,)), ((3,), (3,)), ((3, 4), (3, 1))],
    ids=str,
)
def test_nms_rejects_invalid_boxes(boxes: tuple[int, ...], scores: tuple[int, ...]) -> None:
    out = torch.empty(4, dtype=torch.int64)
    with pytest.raises(KernelError, match="nms: "):
        KERNELS.call(NMS, torch.ones(boxes), torch.ones(scores), 0.5, out, out)


def test_nms_error_states_the_shapes() -> None:
    out = torch.empty(4, dtype=torch.int64)
    with pytest.raises(KernelError, match=r"nms: boxes are \[3, 5\] of float32, scores are \[2\]"):
        KERNELS.call(NMS, torch.ones(3, 5), torch.ones(2), 0.5, out, out)


def regions() -> torch.Tensor:
    """Return regions inside, across the border, outside, of one point, and inverted."""
    corners = [[1, 1, 6, 5], [-3, -2, 4, 20], [30, 30, 40, 40], [2, 2, 2, 2], [5, 6, 1, 2]]
    return torch.tensor([[i % 2, *corner] for i, corner in enumerate(corners)], dtype=torch.float32)


@pytest.mark.parametrize("aligned", [False, True])
@pytest.mark.parametrize("sampling_ratio", [-1, 0, 1, 3])
@pytest.mark.parametrize("scale", [1.0, 0.25, 2.0])
def test_roi_align_follows_torchvision(scale: float, sampling_ratio: int, aligned: bool) -> None:
    x = random_tensor((2, 3, 8, 9))
    for image in (x, channels_last(x)):
        rest = (regions(), scale, 3, 2, sampling_ratio, aligned)
        check(KERNELS, ROI_ALIGN, image, *rest, order=range(4), reference=detection.roi_align, tolerance=(1e-4, 1e-4))


@pytest.mark.parametrize("dtype", FLOATING, ids=str)
def test_roi_align_accepts_every_floating_dtype(dtype: torch.dtype) -> None:
    x = random_tensor((2, 3, 8, 9), dtype)
    check(KERNELS, ROI_ALIGN, x, regions().to(dtype), 1.0, 2, 2, 2, True, reference=detection.roi_align)
    check(KERNELS, ROI_ALIGN, x, torch.empty(0, 5, dtype=dtype), 1.0, 2, 2, 2, True, reference=detection.roi_align)


@pytest.mark.parametrize(
    ("roi", "size", "message"),
    [
        ([2.0, 0, 0, 1, 1], (2, 2), "region 0 refers to image 2 of 2"),
        ([-1.0, 0, 0, 1, 1], (2, 2), "region 0 refers to image -1 of 2"),
        ([float("nan"), 0, 0, 1, 1], (2, 2), "refers to image"),
        ([0.0, 0, 0, 1e30, 1], (2, 2), "samples per bin"),
        ([0.0, 0, 0, 1, 1], (0, 2), "0 x 2 bins"),
        ([0.0, 0, 0, 1], (2, 2), "regions have 4 values"),
    ],
    ids=str,
)
def test_roi_align_rejects_invalid_regions(roi: list[float], size: tuple[int, int], message: str) -> None:
    x, out = torch.ones(2, 1, 4, 4), torch.empty(1, 1, 2, 2)
    with pytest.raises(KernelError, match=message):
        KERNELS.call(ROI_ALIGN, x, torch.tensor([roi]), 1.0, *size, 0, False, out, out)


def test_roi_align_without_regions_accepts_the_largest_bin_counts() -> None:
    x, out = torch.ones(2, 1, 4, 4), torch.empty(1, 1, 2, 2)
    for size in ((2**31 - 1, 1), (1, 2**31 - 1)):
        KERNELS.call(ROI_ALIGN, x, torch.empty(0, 5), 1.0, *size, 0, False, out, out)
        assert out.shape == (0, 1, *size)


def test_roi_align_rejects_empty_images() -> None:
    out = torch.empty(1, 1, 2, 2)
    with pytest.raises(KernelError, match=r"input is empty \(0 x 4\)"):
        KERNELS.call(ROI_ALIGN, torch.ones(2, 1, 0, 4), torch.zeros(1, 5), 1.0, 2, 2, 2, False, out, out)
