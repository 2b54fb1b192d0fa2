"""Tests torchvision's operators in the compiler and the C runtime.

The tests do not need torchvision.
"""

from __future__ import annotations

import torch
from torch import Tensor

from exir.dialects import detection
from exir.operators.operators import builtin_operators
from tests.operators.compiled import assert_follows_pytorch

_LIBRARY = torch.library.Library("torchvision", "FRAGMENT")
_OUT = ", *, Tensor(a!) out) -> Tensor(a!)"


def _register(name: str) -> None:
    """Register an operator like torchvision."""
    schema = builtin_operators()[f"torchvision::{name}.out"].schema
    assert schema.endswith(_OUT)
    _LIBRARY.define(f"{name}{schema.removesuffix(_OUT)}) -> Tensor")
    _LIBRARY.impl(name, getattr(detection, name), "CPU")


_register("nms")
_register("roi_align")


@torch.library.register_fake("torchvision::nms", lib=_LIBRARY)
def _(boxes: Tensor, scores: Tensor, threshold: float) -> Tensor:
    return boxes.new_empty(torch.library.get_ctx().new_dynamic_size(), dtype=torch.int64)


@torch.library.register_fake("torchvision::roi_align", lib=_LIBRARY)
def _(x: Tensor, rois: Tensor, scale: float, height: int, width: int, *rest: object) -> Tensor:
    return x.new_empty(rois.shape[0], x.shape[1], height, width)


def _boxes(count: int) -> Tensor:
    generator = torch.Generator().manual_seed(0)
    corners = torch.rand(count, 2, generator=generator) * 10
    return torch.cat([corners, corners + 1 + torch.rand(count, 2, generator=generator) * 5], 1)


def test_nms_output_size_depends_on_the_data() -> None:
    scores = torch.rand(20, generator=torch.Generator().manual_seed(1))
    assert_follows_pytorch(lambda b, s: torch.ops.torchvision.nms(b, s, 0.3), _boxes(20), scores)


def test_nms_boxes_are_pooled_by_roi_align() -> None:
    def detect(x: Tensor, boxes: Tensor, scores: Tensor) -> tuple[Tensor, Tensor]:
        kept = torch.ops.torchvision.nms(boxes, scores, 0.3)
        best = boxes[kept]
        regions = torch.cat([torch.zeros_like(best[:, :1]), best], 1)
        return best, torch.ops.torchvision.roi_align(x, regions, 1.0, 3, 3, 2, True)

    scores = torch.rand(20, generator=torch.Generator().manual_seed(1))
    x = torch.randn(1, 2, 12, 12, generator=torch.Generator().manual_seed(2))
    assert_follows_pytorch(detect, x, _boxes(20), scores)
