"""Architectures of torchvision."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import partial
from typing import Any

import torch
from torch.export import Dim

from tests.architectures.architecture import Architecture, PartialModel, Subject, random_image

# Model names by image size; _OPTIONS has their other options.
_CLASSIFIERS = {
    32: "vgg11 vgg11_bn",
    64: "alexnet squeezenet1_0 mobilenet_v2 mobilenet_v3_small mobilenet_v3_large mnasnet1_0 resnet18 resnet50"
    " resnext50_32x4d wide_resnet50_2 shufflenet_v2_x1_0 efficientnet_b0 efficientnet_v2_s regnet_y_400mf regnet_x_400mf"
    " convnext_tiny densenet121 googlenet",
    96: "inception_v3",
    224: "vit_b_16 swin_t swin_v2_t maxvit_t",
}
_OPTIONS = {
    "googlenet": {"init_weights": False, "aux_logits": False},
    "inception_v3": {"init_weights": False, "aux_logits": False},
}
_SEGMENTATION = "fcn_resnet50 deeplabv3_mobilenet_v3_large lraspp_mobilenet_v3_large"
# Number of frames, and image size.
_VIDEO = {
    "r3d_18": (8, 64),
    "mc3_18": (8, 64),
    "r2plus1d_18": (8, 64),
    "s3d": (16, 224),
    "mvit_v1_b": (16, 224),
    "swin3d_t": (8, 64),
}


def _model(name: str, **options: Any) -> Any:
    return importlib.import_module("torchvision.models").get_model(name, **options)


def _classifier(name: str, size: int) -> Subject:
    module = _model(name, weights=None, **_OPTIONS.get(name, {}))
    return Subject(module, (random_image(size),))


def _segmentation(name: str, dynamic: bool) -> Subject:
    module = _model(name, weights=None, weights_backbone=None)
    shapes = ({2: Dim("height", min=33, max=160), 3: Dim("width", min=33, max=160)},)
    if not dynamic:
        return Subject(module, (random_image(65),))
    return Subject(module, (random_image(65), (torch.randn(1, 3, 96, 130),)), shapes)


def _video(name: str) -> Subject:
    frames, size = _VIDEO[name]
    return Subject(_model(name, weights=None), ((torch.randn(1, 3, frames, size, size),),))


def _flow() -> Subject:
    module = _model("raft_small", weights=None)
    part = PartialModel(module, lambda raft, one, other: raft(one, other, num_flow_updates=2)[-1])
    return Subject(part, ((torch.randn(1, 3, 128, 128), torch.randn(1, 3, 128, 128)),))


def _detector(name: str) -> Any:
    return _model(name, weights=None, weights_backbone=None)


def _whole_detector(name: str, size: int) -> Subject:
    part = PartialModel(_detector(name), lambda detector, x: tuple(detector([x])[0].values()))
    return Subject(part, ((torch.rand(3, size, size),),))


def _dense_detector(name: str, size: int) -> Subject:
    """Build the backbone and the heads, without box selection."""
    part = PartialModel(_detector(name), lambda detector, x: detector.head(list(detector.backbone(x).values())))
    return Subject(part, (random_image(size),))


def _proposals(name: str, size: int) -> Subject:
    """Build the backbone and the region proposal heads."""

    def call(detector: Any, x: torch.Tensor) -> Any:
        return detector.rpn.head(list(detector.backbone(x).values()))

    return Subject(PartialModel(_detector(name), call), (random_image(size),))


def architectures() -> Iterator[Architecture]:
    for size, names in _CLASSIFIERS.items():
        for name in names.split():
            yield Architecture("torchvision", name, partial(_classifier, name, size))
    for name in _SEGMENTATION.split():
        yield Architecture("torchvision", name, partial(_segmentation, name, False))
        yield Architecture("torchvision", f"{name}, varying size", partial(_segmentation, name, True))
    for name in _VIDEO:
        yield Architecture("torchvision", name, partial(_video, name))
    yield Architecture("torchvision", "raft_small", _flow)
    ssd, retina, faster = (
        "ssdlite320_mobilenet_v3_large",
        "retinanet_resnet50_fpn",
        "fasterrcnn_mobilenet_v3_large_320_fpn",
    )
    yield Architecture("torchvision", f"{ssd}, backbone and heads", lambda: _dense_detector(ssd, 320))
    yield Architecture("torchvision", f"{retina}, backbone and heads", lambda: _dense_detector(retina, 128))
    yield Architecture("torchvision", f"{faster}, backbone and proposals", lambda: _proposals(faster, 128))
    yield Architecture("torchvision", f"{ssd}, whole", lambda: _whole_detector(ssd, 320))
