"""Tests that `col2im` agrees with PyTorch and needs no permutation of its result."""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.export import Dim

from backends.cpu.compiler.testing.compare import assert_computes, specs
from backends.cpu.schema.convolution import Col2im
from backends.cpu.schema.copies import Permute


@pytest.mark.parametrize(
    "window",
    [
        {"kernel_size": 3, "padding": 1, "stride": 2},
        {"kernel_size": (3, 2), "padding": (0, 1), "stride": (1, 3)},
        {"kernel_size": (2, 3), "dilation": (3, 2), "padding": 2},
        {"kernel_size": 2, "stride": 3},
    ],
)
def test_col2im_agrees_with_eager(window: dict[str, int]) -> None:
    columns = F.unfold(torch.randn(2, 5, 9, 8), **window)
    assert_computes(lambda x: F.fold(torch.sin(x), (9, 8), **window), columns)
    assert_computes(lambda x: F.fold(torch.sin(x), (9, 8), **window), columns[0])


def test_col2im_of_dynamic_batches() -> None:
    function = lambda x: F.fold(x * 2, (6, 5), 3, padding=1)
    columns = torch.randn(3, 36, 30)
    shapes = ({0: Dim("batch", min=1, max=4)},)
    others = [(columns[:1],), (torch.randn(4, 36, 30),)]
    assert_computes(function, columns, dynamic_shapes=shapes, others=others)


def test_col2im_of_dynamic_images() -> None:
    shapes = ({2: Dim("height", min=4, max=12), 3: Dim("width", min=4, max=12)},)
    function = lambda x: F.fold(F.unfold(x, 3, padding=1, stride=2), x.shape[2:], 3, padding=1, stride=2)
    others = [(torch.randn(1, 3, 4, 11),), (torch.randn(1, 3, 12, 5),)]
    assert_computes(function, torch.randn(1, 3, 9, 8), dynamic_shapes=shapes, others=others)


class _Outlook(nn.Module):
    """Attention over the windows of an image [1, H, W, C], as in VOLO.

    Each window is a weighted sum of its pixels.
    """

    def __init__(self) -> None:
        super().__init__()
        self.weigh = nn.Linear(16, 2 * 81)
        self.value = nn.Linear(16, 16)
        self.project = nn.Linear(16, 16)

    def forward(self, x: Tensor) -> Tensor:
        batch, height, width, channels = x.shape
        windows = F.unfold(self.value(x).permute(0, 3, 1, 2), 3, padding=1, stride=2)
        places = windows.shape[-1]
        v = windows.reshape(batch, 2, channels // 2, 9, places).permute(0, 1, 4, 3, 2)
        seen = F.avg_pool2d(x.permute(0, 3, 1, 2), 2, 2, ceil_mode=True).permute(0, 2, 3, 1)
        weights = self.weigh(seen).reshape(batch, places, 2, 9, 9).permute(0, 2, 1, 3, 4).softmax(-1)
        columns = (weights @ v).permute(0, 1, 4, 3, 2).reshape(batch, channels * 9, places)
        return self.project(F.fold(columns, (height, width), 3, padding=1, stride=2).permute(0, 2, 3, 1))


def test_results_of_col2im_are_not_permuted() -> None:
    x = torch.randn(1, 7, 9, 16)
    made = [type(each) for each in specs(_Outlook(), x)]
    assert made.count(Col2im) == 1 and Permute not in made[made.index(Col2im) :]
    assert_computes(_Outlook(), x)
