"""Torchvision's operators for detection where its own library does not load, as beside another build of torch."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path

import torch

from kernels.testing import detection

_SCHEMAS = {
    "nms": "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qnms": "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "roi_align": "(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width,"
    " int sampling_ratio, bool aligned) -> Tensor",
}


def provide() -> None:
    """Define what torchvision cannot; to be called before it is imported."""
    spec = importlib.util.find_spec("torchvision")
    if spec is None or spec.origin is None or _loads(Path(spec.origin).parent):
        return
    library = torch.library.Library("torchvision", "FRAGMENT")
    for name, schema in _SCHEMAS.items():
        library.define(f"{name}{schema}")
    library.impl("nms", detection.nms, "CPU")
    library.impl("roi_align", detection.roi_align, "CPU")
    _KEPT.append(library)
    vars(importlib.import_module("torchvision.extension"))["_has_ops"] = lambda: True


# A library's definitions go with it.
_KEPT: list[torch.library.Library] = []


def _loads(package: Path) -> bool:
    try:
        for path in package.glob("_C*.so"):
            torch.ops.load_library(str(path))
    except OSError:
        return False
    return hasattr(torch.ops.torchvision, "nms")
