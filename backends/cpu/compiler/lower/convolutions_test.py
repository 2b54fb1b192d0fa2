"""Tests that all forms of convolutions use the expected op and agree with PyTorch."""

from typing import Any

import pytest
import torch
from torch import nn
from torch.export import Dim

from backends.cpu.compiler.testing.compare import assert_computes, lowered, specs
from backends.cpu.schema.convolution import ConvF32, DwconvF32
from backends.cpu.schema.copies import Permute
from backends.cpu.schema.declarations import OpSpec
from backends.cpu.schema.gemm import GemmF32
from exir.delegate import delegate_calls

_CASES: list[tuple[nn.Module, tuple[int, ...], type[OpSpec]]] = [
    (nn.Conv2d(5, 7, 3, padding=1), (2, 5, 9, 8), ConvF32),
    (nn.Conv2d(5, 20, (2, 3), stride=(2, 1), padding=(0, 2), dilation=(2, 1)), (1, 5, 9, 8), ConvF32),
    (nn.Conv2d(3, 17, 3, stride=2, padding=1, bias=False), (1, 3, 9, 9), ConvF32),
    (nn.Conv2d(12, 36, 3, groups=3), (1, 12, 5, 5), ConvF32),
    (nn.Conv2d(6, 6, 3, groups=6, padding=1), (2, 6, 5, 7), DwconvF32),
    (nn.Conv2d(6, 12, 3, groups=6), (1, 6, 5, 7), ConvF32),
    (nn.Conv2d(6, 40, 1), (2, 6, 3, 4), GemmF32),
    (nn.Conv2d(6, 8, 1, stride=2), (1, 6, 5, 5), ConvF32),
    (nn.Conv1d(5, 8, 3, padding=1), (2, 5, 10), ConvF32),
    (nn.Conv1d(6, 6, 5, groups=6, dilation=2), (1, 6, 20), DwconvF32),
    (nn.Conv1d(6, 9, 1), (2, 6, 7), GemmF32),
]


@pytest.mark.parametrize("module, shape, kind", _CASES)
def test_a_convolution_is_one_op_and_agrees_with_pytorch(
    module: nn.Module, shape: tuple[int, ...], kind: type[OpSpec]
) -> None:
    x = torch.randn(shape)
    assert [type(each) for each in specs(module, x) if not isinstance(each, Permute)] == [kind]
    assert_computes(module, x)


class _Padded(nn.Module):
    """Zero padding on some sides, followed by a convolution."""

    def __init__(self, sizes: tuple[int, ...], convolution: nn.Module) -> None:
        super().__init__()
        self.sizes, self.convolution = sizes, convolution

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.convolution(nn.functional.pad(x, self.sizes))


@pytest.mark.parametrize(
    ("module", "shape", "kind"),
    [
        (_Padded((0, 1, 0, 1), nn.Conv2d(6, 6, 3, stride=2, groups=6)), (2, 6, 8, 10), DwconvF32),
        (_Padded((1, 2, 1, 2), nn.Conv2d(6, 6, 5, stride=2, groups=6)), (1, 6, 8, 8), DwconvF32),
        (_Padded((0, 1, 2, 0), nn.Conv2d(12, 7, 3, stride=2, padding=1)), (1, 12, 8, 6), ConvF32),
        (_Padded((0, 1, 0, 1), nn.Conv2d(3, 8, 3, stride=2)), (1, 3, 8, 8), ConvF32),
        (_Padded((3, 1), nn.Conv2d(12, 7, 1)), (1, 12, 4, 6), ConvF32),
        (_Padded((4, 0), nn.Conv1d(12, 12, 5, groups=12)), (2, 12, 9), DwconvF32),
        (_Padded((4, 0), nn.Conv1d(12, 9, 3, dilation=2)), (2, 12, 9), ConvF32),
    ],
)
def test_zero_padding_is_folded_into_the_window(module: nn.Module, shape: tuple[int, ...], kind: type) -> None:
    x = torch.randn(shape)
    assert [type(each) for each in specs(module, x) if not isinstance(each, Permute)] == [kind]
    assert_computes(module, x)


@pytest.mark.parametrize(
    "pad",
    [
        nn.ConstantPad2d((0, 1, 0, 1), 2.5),
        nn.ConstantPad2d((-1, 1, 0, 1), 0.0),
        nn.ConstantPad3d((0, 1, 0, 1, 2, 0), 0.0),
    ],
)
def test_ineligible_padding_stays_an_op(pad: nn.Module) -> None:
    module = nn.Sequential(pad, nn.Conv2d(14 if isinstance(pad, nn.ConstantPad3d) else 12, 7, 3, stride=2))
    x = torch.randn(1, 12, 8, 8)
    assert len([each for each in specs(module, x) if not isinstance(each, Permute)]) == 2
    assert_computes(module, x)


def test_padded_images_with_other_readers_are_kept() -> None:
    class Both(nn.Conv2d):
        def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:  # type: ignore[override]
            padded = nn.functional.pad(x, (0, 1, 0, 1))
            return super().forward(padded), padded * 2

    assert_computes(Both(12, 7, 3, stride=2), torch.randn(1, 12, 8, 8))


def test_images_of_few_channels_are_read_in_planar_layout() -> None:
    first, last = specs(nn.Conv2d(3, 8, 3), torch.randn(1, 3, 8, 8))
    assert isinstance(first, ConvF32) and first.planar
    assert last == Permute((0, 3, 1, 2))


def test_large_windows_are_not_read_in_planar_layout() -> None:
    patches = specs(nn.Conv2d(3, 8, 16, stride=16), torch.randn(1, 3, 32, 32))
    assert [getattr(each, "planar", None) for each in patches] == [None, False, None]


def test_channels_last_needs_no_permutation() -> None:
    x = torch.randn(1, 8, 6, 6).to(memory_format=torch.channels_last)
    module = nn.Conv2d(8, 8, 3).to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    assert [type(each) for each in specs(module, x)] == [ConvF32]


@pytest.mark.parametrize(
    "module",
    [
        nn.ConvTranspose2d(5, 7, 2, stride=2),
        nn.ConvTranspose2d(5, 7, 4, stride=2, padding=1),
        nn.ConvTranspose2d(5, 7, 3, stride=2, padding=1, output_padding=1, bias=False),
        nn.ConvTranspose2d(5, 7, 3, padding=1),
        nn.ConvTranspose2d(5, 7, (3, 5), stride=(1, 3), padding=(0, 1)),
        nn.ConvTranspose2d(5, 7, 1, stride=2, output_padding=1),
    ],
)
def test_a_transposed_convolution_is_a_convolution_and_a_permutation(module: nn.Module) -> None:
    x = torch.randn(2, 5, 4, 6).to(memory_format=torch.channels_last)
    assert [type(each) for each in specs(module, x)][:2] == [ConvF32, Permute]
    assert_computes(module, x)


@pytest.mark.parametrize(
    "module, shape",
    [
        (nn.ConvTranspose2d(4, 6, 2, stride=2, groups=2), (1, 4, 5, 5)),
        (nn.ConvTranspose2d(4, 4, 3, stride=2, padding=1, output_padding=1, groups=4), (2, 4, 5, 3)),
        (nn.ConvTranspose2d(3, 4, 3, stride=2), (1, 3, 5, 5)),
        (nn.ConvTranspose2d(3, 4, 1, padding=1), (1, 3, 5, 5)),
        (nn.ConvTranspose2d(3, 4, 3, stride=2, dilation=2, padding=1), (1, 3, 5, 6)),
        (nn.ConvTranspose2d(3, 4, 3, stride=3, dilation=(2, 4), output_padding=(1, 2)), (1, 3, 5, 6)),
        (nn.ConvTranspose1d(5, 8, 4, stride=2, padding=1), (2, 5, 9)),
        (nn.ConvTranspose1d(6, 9, 10, stride=5, groups=3), (1, 6, 9)),
        (nn.ConvTranspose3d(3, 4, 2, stride=2), (2, 3, 5, 4, 3)),
        (nn.ConvTranspose3d(4, 6, 3, stride=(2, 1, 3), padding=1, output_padding=(1, 0, 2), groups=2), (2, 4, 3, 5, 4)),
        (nn.ConvTranspose3d(3, 4, (1, 3, 2), stride=(3, 2, 1), output_padding=(2, 1, 0), bias=False), (1, 3, 4, 3, 2)),
        (nn.ConvTranspose3d(3, 4, 3, padding=(2, 1, 0), dilation=(1, 2, 1)), (1, 3, 4, 5, 3)),
        (nn.ConvTranspose3d(3, 4, (1, 2, 2), stride=(1, 2, 2)), (1, 3, 4, 5, 3)),
    ],
)
def test_transposed_convolutions_agree_with_pytorch(module: nn.Module, shape: tuple[int, ...]) -> None:
    assert_computes(module, torch.randn(shape))


def test_transposed_convolutions_of_dynamic_images() -> None:
    module = nn.ConvTranspose2d(3, 4, 3, stride=2, padding=1)
    shapes = ({2: Dim("h", min=2, max=9)},)
    assert_computes(module, torch.randn(1, 3, 5, 4), dynamic_shapes=shapes, others=[(torch.randn(1, 3, 9, 4),)])


def test_transposed_convolutions_of_volumes_of_dynamic_depth() -> None:
    module = nn.ConvTranspose3d(3, 4, 3, stride=2, padding=1)
    shapes = ({2: Dim("d", min=2, max=9)},)
    others = [(torch.randn(1, 3, depth, 2, 4),) for depth in (2, 9)]
    assert_computes(module, torch.randn(1, 3, 5, 2, 4), dynamic_shapes=shapes, others=others)


@pytest.mark.parametrize(
    "module",
    [
        nn.Conv3d(6, 7, 3, padding=1),
        nn.Conv3d(6, 8, (3, 1, 2), stride=(2, 1, 2), padding=(2, 0, 1), bias=False),
        nn.Conv3d(6, 8, (1, 3, 3)),
        nn.Conv3d(6, 8, 1, stride=2),
        nn.Conv3d(6, 12, 3, dilation=(2, 1, 1), groups=3),
        nn.Conv3d(6, 6, 3, padding=1, groups=6),
        nn.AvgPool3d(2),
        nn.AvgPool3d((3, 2, 1), stride=(1, 2, 2), padding=(1, 1, 0), count_include_pad=False),
        nn.AvgPool3d(2, divisor_override=3),
        nn.MaxPool3d(3, stride=2, padding=1),
        nn.MaxPool3d((2, 1, 2), dilation=(2, 1, 1), stride=1),
        nn.AdaptiveAvgPool3d(1),
    ],
)
def test_convolutions_of_volumes(module: nn.Module) -> None:
    assert_computes(module, torch.randn(2, 6, 7, 5, 4))


@pytest.mark.parametrize(
    "module, shapes",
    [
        (nn.Conv3d(3, 4, (65, 1, 1)), [(1, 3, 70, 5, 5)]),
        (nn.ConvTranspose3d(3, 4, (33, 1, 1), dilation=(2, 1, 1)), [(1, 3, 5, 5, 5)]),
        (nn.functional.conv2d, [(1, 3, 5, 5), (4, 3, 3, 3)]),
    ],
)
def test_unsupported_convolutions_are_left_to_kernels(module: Any, shapes: list[tuple[int, ...]]) -> None:
    program = lowered(module, [torch.randn(shape) for shape in shapes])
    assert delegate_calls(program.graph) == []
