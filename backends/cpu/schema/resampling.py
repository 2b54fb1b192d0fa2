"""Ops that resample images in NHWC layout."""

from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar

from backends.cpu.schema.declarations import OpSpec, Tensor

_IMAGE = Tensor("x", "[B, H, W, C]")
_RESAMPLED = Tensor("y", "[B, Ho, Wo, C]")


class ResizeMode(IntEnum):
    """Interpolation modes of `torch.nn.functional.interpolate`."""

    NEAREST = 0
    NEAREST_EXACT = 1
    LINEAR = 2
    CUBIC = 3


@dataclass(frozen=True)
class Resize(OpSpec):
    """Resize NHWC images like `torch.nn.functional.interpolate`.

    Along each axis, output element i samples the input at (i + 0.5) * scale - 0.5, with the mode's
    interpolation weights. NEAREST reads element floor(i * scale), and NEAREST_EXACT reads element
    floor((i + 0.5) * scale). With `align_corners`, LINEAR and CUBIC sample the input at
    i * (H - 1) / (Ho - 1).
    Positions outside the image are clamped.

    scales: input elements per output element along height and width, at most 1e6; 0 for the ratio
        of the sizes.
    """

    mode: ResizeMode
    align_corners: bool = False
    scales: tuple[float, float] = (0.0, 0.0)

    code: ClassVar[int] = 16
    inputs: ClassVar[tuple[Tensor, ...]] = (_IMAGE,)
    outputs: ClassVar[tuple[Tensor, ...]] = (_RESAMPLED,)


class SampleMode(IntEnum):
    """Interpolation modes of `torch.nn.functional.grid_sample`, with PyTorch's values."""

    LINEAR = 0
    NEAREST = 1
    CUBIC = 2


class PaddingMode(IntEnum):
    """Padding modes of `torch.nn.functional.grid_sample`, with PyTorch's values."""

    ZEROS = 0
    BORDER = 1
    REFLECTION = 2


@dataclass(frozen=True)
class GridSample(OpSpec):
    """Sample NHWC images at grid positions, like `torch.nn.functional.grid_sample`.

    The last dimension of the grid is (x, y), from -1 to 1.

    align_corners: -1 and 1 are the centers of the first and the last pixel; otherwise, their outer
        edges.
    """

    mode: SampleMode
    padding: PaddingMode
    align_corners: bool

    code: ClassVar[int] = 44
    inputs: ClassVar[tuple[Tensor, ...]] = (_IMAGE, Tensor("grid", "[B, Ho, Wo, 2]"))
    outputs: ClassVar[tuple[Tensor, ...]] = (_RESAMPLED,)
