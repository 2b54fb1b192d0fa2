"""Operators of every family through the compiler and the C runtime, against eager PyTorch."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from tests.operators.compiled import assert_follows_pytorch

_GENERATOR = torch.Generator().manual_seed(0)


def _real(*shape: int) -> Tensor:
    return torch.randn(shape, generator=_GENERATOR)


LINE, PICTURE, VOLUME = _real(1, 2, 6), _real(1, 2, 6, 6), _real(1, 2, 4, 6, 6)
Case = tuple[Any, ...]  # a function and its inputs

VOLUMES: dict[str, Case] = {
    "conv3d": (lambda x, w: F.conv3d(x, w, padding=1, stride=(1, 2, 1)), VOLUME, _real(4, 2, 3, 3, 3)),
    "conv3d of groups": (lambda x, w: F.conv3d(x, w, groups=2), VOLUME, _real(4, 1, 2, 3, 3)),
    "conv_transpose3d": (lambda x, w: F.conv_transpose3d(x, w, stride=2), VOLUME, _real(2, 4, 3, 3, 3)),
    "avg_pool1d": (lambda x: F.avg_pool1d(x, 2), LINE),
    "avg_pool3d": (lambda x: F.avg_pool3d(x, 2, padding=1), VOLUME),
    "max_pool1d with places": (lambda x: F.max_pool1d(x, 2, return_indices=True), LINE),
    "max_pool3d": (lambda x: F.max_pool3d(x, 2), VOLUME),
    "max_pool3d with places": (lambda x: F.max_pool3d(x, 3, 2, 1, return_indices=True), VOLUME),
    "lp_pool3d": (lambda x: F.lp_pool3d(x.abs(), 2, 2), VOLUME),
    "adaptive_avg_pool1d": (lambda x: F.adaptive_avg_pool1d(x, 4), LINE),
    "adaptive_avg_pool3d": (lambda x: F.adaptive_avg_pool3d(x, (3, 4, 1)), VOLUME),
    "adaptive_max_pool1d": (lambda x: F.adaptive_max_pool1d(x, 4), LINE),
    "adaptive_max_pool2d": (lambda x: F.adaptive_max_pool2d(x, (4, 5), return_indices=True), PICTURE),
    "adaptive_max_pool3d": (lambda x: F.adaptive_max_pool3d(x, (2, 4, 5), return_indices=True), VOLUME),
    "local_response_norm": (lambda x: F.local_response_norm(x, 2), PICTURE),
}

CASES: dict[str, Case] = {**VOLUMES}


@pytest.mark.parametrize("name", sorted(CASES))
def test_compiled_operator_follows_pytorch(name: str) -> None:
    function, *inputs = CASES[name]
    assert_follows_pytorch(function, *inputs)
