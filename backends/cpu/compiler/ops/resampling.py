"""Reference semantics of `resize` and `grid_sample`."""

from collections.abc import Sequence

import torch
from torch import Tensor

from backends.cpu.compiler.ops.reference import Sizes, check_shapes, evaluate, expect
from backends.cpu.schema.resampling import GridSample, Resize, ResizeMode

_aten = torch.ops.aten

_FUNCTIONS = {
    ResizeMode.NEAREST: _aten.upsample_nearest2d.default,
    ResizeMode.NEAREST_EXACT: _aten._upsample_nearest_exact2d.default,
    ResizeMode.LINEAR: _aten.upsample_bilinear2d.default,
    ResizeMode.CUBIC: _aten.upsample_bicubic2d.default,
}


@check_shapes.register
def _check_resize(spec: Resize, sizes: Sizes) -> None:
    expect(spec, len(sizes) == 2, f"{len(sizes)} tensors")
    x, y = sizes
    expect(spec, len(x) == len(y) == 4, f"{x} and {y} are not images")
    expect(spec, (x[0], x[3]) == (y[0], y[3]), f"batch size or channels of {x} and {y} differ")


@evaluate.register
def _resize(spec: Resize, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    planar, size = inputs[0].permute(0, 3, 1, 2), list(outputs[0].shape[1:3])
    factors = [1 / scale if scale else None for scale in spec.scales]
    corners = [spec.align_corners] if spec.mode >= ResizeMode.LINEAR else []
    outputs[0].copy_(_FUNCTIONS[spec.mode](planar, size, *corners, *factors).permute(0, 2, 3, 1))


@check_shapes.register
def _check_grid_sample(spec: GridSample, sizes: Sizes) -> None:
    expect(spec, len(sizes) == 3, f"{len(sizes)} tensors")
    x, grid, y = sizes
    expect(spec, len(x) == len(grid) == len(y) == 4, f"{x}, {grid} and {y} are not images")
    expect(spec, grid == (*y[:3], 2), f"the grid is {grid}, the output {y}")
    expect(spec, (x[0], x[3]) == (y[0], y[3]), f"batch size or channels of {x} and {y} differ")


@evaluate.register
def _grid_sample(spec: GridSample, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    planar = inputs[0].permute(0, 3, 1, 2)
    modes = int(spec.mode), int(spec.padding), spec.align_corners
    outputs[0].copy_(torch.grid_sampler_2d(planar, inputs[1], *modes).permute(0, 2, 3, 1))
