"""Tests that torchvision's checkpoints of MobileNetV2 load.

torchvision is not needed.
"""

from __future__ import annotations

import torch

from models.mobilenet import MobileNetV2, mobilenet_v2

# Facts about torchvision's mobilenet_v2: 314 entries in its state dict, 3,504,872 parameters.
_ENTRIES = 314
_PARAMETERS = 3_504_872
_SOME_SHAPES = {
    "features.0.0.weight": (32, 3, 3, 3),
    "features.0.1.num_batches_tracked": (),
    "features.1.conv.0.0.weight": (32, 1, 3, 3),
    "features.1.conv.1.weight": (16, 32, 1, 1),
    "features.2.conv.0.0.weight": (96, 16, 1, 1),
    "features.2.conv.3.running_mean": (24,),
    "features.17.conv.2.weight": (320, 960, 1, 1),
    "features.18.0.weight": (1280, 320, 1, 1),
    "classifier.1.weight": (1000, 1280),
    "classifier.1.bias": (1000,),
}


def test_parameter_names_match_torchvision() -> None:
    state = MobileNetV2().state_dict()
    assert len(state) == _ENTRIES
    assert {name: tuple(state[name].shape) for name in _SOME_SHAPES} == _SOME_SHAPES
    assert sum(parameter.numel() for parameter in MobileNetV2().parameters()) == _PARAMETERS


def test_seeded_activations_stay_in_scale() -> None:
    torch.manual_seed(0)
    module, inputs = mobilenet_v2()
    with torch.no_grad():
        logits = module(*inputs)
    assert 0.1 < logits.std().item() < 10
