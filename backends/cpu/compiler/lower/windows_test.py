"""Tests of the limits of windows.

The largest windows within the limits are delegated, and larger ones are not.
"""

import pytest
import torch
from torch import nn

from backends.cpu.compiler.testing.compare import assert_computes, lowered
from exir.delegate import delegate_calls

_TOO_LARGE = [
    (nn.Conv2d(4, 4, (257, 1), groups=4), (1, 4, 300, 3)),
    (nn.Conv1d(1, 2, 32769), (1, 1, 32800)),
    (nn.Conv1d(2, 2, 1, stride=32769), (1, 2, 70000)),
    (nn.Conv1d(1, 2, 3, padding=32769), (1, 1, 5)),
    (nn.Conv1d(1, 2, 2, dilation=32769), (1, 1, 32800)),
    (nn.ConvTranspose1d(1, 2, 2, stride=32769), (1, 1, 2)),
    (nn.AvgPool1d(32769), (1, 2, 70000)),
    (nn.MaxPool1d(32769), (1, 2, 70000)),
]
_TAKEN = [
    (nn.Conv2d(4, 4, (256, 1), groups=4), (1, 4, 300, 3)),
    (nn.Conv1d(1, 2, 32768), (1, 1, 32800)),
    (nn.Conv1d(2, 2, 1, stride=32768), (1, 2, 70000)),
    (nn.AvgPool1d(32768), (1, 2, 70000)),
    (nn.AdaptiveAvgPool2d((2, 1)), (1, 2, 2 * 32768, 1)),
]


@pytest.mark.parametrize("module, shape", _TOO_LARGE)
def test_a_window_that_is_too_large_is_left_to_kernels(module: nn.Module, shape: tuple[int, ...]) -> None:
    program = lowered(module, (torch.randn(shape),))
    assert list(delegate_calls(program.graph)) == []


@pytest.mark.parametrize("module, shape", _TAKEN)
def test_the_largest_supported_window_is_delegated(module: nn.Module, shape: tuple[int, ...]) -> None:
    assert_computes(module, torch.randn(shape), tolerance=1e-4)
