"""Reference semantics of `resize` and `grid_sample`."""

from collections.abc import Sequence

import torch
from torch import Tensor

from backends.cpu.compiler.ops.reference import evaluate
from backends.cpu.schema.resampling import GridSample, Resize, ResizeMode

_aten = torch.ops.aten

_FUNCTIONS = {
    ResizeMode.NEAREST: _aten.upsample_nearest2d.default,
    ResizeMode.NEAREST_EXACT: _aten._upsample_nearest_exact2d.default,
    ResizeMode.LINEAR: _aten.upsample_bilinear2d.default,
    ResizeMode.CUBIC: _aten.upsample_bicubic2d.default,
}


@evaluate.register
def _resize(spec: Resize, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    planar, size = inputs[0].permute(0, 3, 1, 2), list(outputs[0].shape[1:3])
    factors = [1 / scale if scale else None for scale in spec.scales]
    corners = [spec.align_corners] if spec.mode >= ResizeMode.LINEAR else []
    outputs[0].copy_(_FUNCTIONS[spec.mode](planar, size, *corners, *factors).permute(0, 2, 3, 1))


@evaluate.register
def _grid_sample(spec: GridSample, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    planar = inputs[0].permute(0, 3, 1, 2)
    modes = int(spec.mode), int(spec.padding), spec.align_corners
    outputs[0].copy_(torch.grid_sampler_2d(planar, inputs[1], *modes).permute(0, 2, 3, 1))
