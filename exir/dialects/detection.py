"""Torchvision's detection operators, written with PyTorch operations.

The project does not depend on torchvision.
"""

from __future__ import annotations

import torch
from torch import Tensor


def nms(boxes: Tensor, scores: Tensor, threshold: float) -> Tensor:
    """Non-maximum suppression: return the indices of kept boxes, best score first.

    A box is dropped if its IoU with a better kept box exceeds `threshold`.
    """
    selected: list[int] = []
    left = scores.argsort(stable=True, descending=True)
    while len(left):
        best, left = left[0], left[1:]
        selected.append(int(best))
        left = left[_box_iou(boxes[best].double(), boxes[left].double()) <= threshold]
    return torch.tensor(selected, dtype=torch.int64)


def _box_iou(a: Tensor, b: Tensor) -> Tensor:
    """Return the intersection over union (IoU) of `a` [4] with each box of `b` [N, 4]."""
    sides = (torch.minimum(a[2:], b[:, 2:]) - torch.maximum(a[:2], b[:, :2])).clamp(min=0)
    both = sides.prod(1)
    return both / ((a[2:] - a[:2]).prod() + (b[:, 2:] - b[:, :2]).prod(1) - both)


def roi_align(
    x: Tensor, rois: Tensor, scale: float, height: int, width: int, sampling_ratio: int, aligned: bool
) -> Tensor:
    """RoIAlign (He et al. 2017): sample regions of `x` bilinearly.

    x: [N, C, H, W].
    rois: [K, 5]; batch index and corners x1, y1, x2, y2 of each region.

    Returns [K, C, height, width].
    """
    pooled = [
        _align_region(x.double(), roi, scale, (height, width), sampling_ratio, aligned)
        for roi in rois.double()
    ]
    return torch.stack(pooled).to(x.dtype) if pooled else x.new_empty(0, x.shape[1], height, width)


def _align_region(
    x: Tensor, roi: Tensor, scale: float, bins: tuple[int, int], sampling_ratio: int, aligned: bool
) -> Tensor:
    image = x[int(roi[0])]
    start = roi[1:3] * scale - 0.5 * aligned
    size = roi[3:5] * scale - 0.5 * aligned - start
    size = size if aligned else size.clamp(min=1)
    rows, columns = (
        _sample_weights(
            start[1 - axis], size[1 - axis], bins[axis], sampling_ratio, image.shape[1 + axis]
        )
        for axis in (0, 1)
    )
    return rows @ image @ columns.T


def _sample_weights(start: Tensor, size: Tensor, bins: int, sampling_ratio: int, length: int) -> Tensor:
    """Return each element's weight in the mean of each bin, [bins, length]."""
    bin_size = size / bins
    count = sampling_ratio if sampling_ratio > 0 else max(int(bin_size.ceil()), 0)
    weights = torch.zeros(bins, length, dtype=torch.float64)
    for k in range(bins):
        for i in range(count):
            _add_sample(weights[k], float(start + k * bin_size + (i + 0.5) * bin_size / count), count)
    return weights


def _add_sample(weights: Tensor, place: float, count: int) -> None:
    length = len(weights)
    if not -1 <= place <= length:
        return
    place = min(max(place, 0.0), length - 1.0)
    low = int(place)
    weights[low] += (1 - (place - low)) / count
    if low + 1 < length:
        weights[low + 1] += (place - low) / count
