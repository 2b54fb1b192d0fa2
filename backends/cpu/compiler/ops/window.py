"""Windows of convolutions and of pooling in PyTorch."""

import torch.nn.functional as F
from torch import Tensor

from backends.cpu.schema.records import Window

MAX_SIZE = 1 << 15
"""The largest kernel, stride, padding and dilation of one operator. Padding of several operators may add up to more."""


def padded(window: Window, x: Tensor, value: float = 0.0) -> Tensor:
    """Return `x`, [B, C, H, W], with the padding of `window`."""
    top, left, bottom, right = window.padding
    return F.pad(x, (left, right, top, bottom), value=value)
