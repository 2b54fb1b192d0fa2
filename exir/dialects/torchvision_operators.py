"""Defines torchvision's detection operators if its library does not load.

A model calls `provide()` before it imports torchvision, or a package that imports torchvision, such
as timm:

    from exir.dialects import torchvision_operators

    torchvision_operators.provide()
    import torchvision

The call defines `nms` and `roi_align` with PyTorch operations. If torchvision's library loads, the
call does nothing.
"""

import importlib
import importlib.util
from pathlib import Path

import torch

from exir.dialects import detection

_SCHEMAS = {
    "nms": "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qnms": "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "roi_align": "(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width,"
    " int sampling_ratio, bool aligned) -> Tensor",
}

# Torch drops the definitions of a library when the object is deleted.
_KEPT: list[torch.library.Library] = []


def provide() -> None:
    """Define the operators of torchvision's library.

    Call it before torchvision is imported.
    """
    spec = importlib.util.find_spec("torchvision")
    if _KEPT or spec is None or spec.origin is None or _can_load(Path(spec.origin).parent):
        return
    library = torch.library.Library("torchvision", "FRAGMENT")
    for name, schema in _SCHEMAS.items():
        library.define(f"{name}{schema}")
    library.impl("nms", detection.nms, "CPU")
    library.impl("roi_align", detection.roi_align, "CPU")
    _KEPT.append(library)
    vars(importlib.import_module("torchvision.extension"))["_has_ops"] = lambda: True


def _can_load(package: Path) -> bool:
    try:
        for path in package.glob("_C*.so"):
            torch.ops.load_library(str(path))
    except OSError:
        return False
    schemas = torch._C._jit_get_schemas_for_operator("torchvision::nms")
    # exir itself defines the overload `out`
    return any(not schema.overload_name for schema in schemas)
