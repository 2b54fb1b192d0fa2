"""Reference semantics of convolutions and `col2im`."""

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from backends.cpu.compiler.ops.activation import activate
from backends.cpu.compiler.ops.quantization import requantized
from backends.cpu.compiler.ops.reference import Sizes, check_shapes, evaluate, expect
from backends.cpu.compiler.packing import unpanelled, unquadded, unquadded_taps, winograd_codes
from backends.cpu.schema.convolution import (
    MBCONV_WEIGHTS,
    WINOGRAD_KERNEL,
    WINOGRAD_QS8_POSITIONS,
    Col2im,
    ConvF32,
    ConvQs8,
    DwconvF32,
    DwconvQs8,
    MbconvBlock,
    MbconvF32,
    WinogradF32,
    WinogradQs8,
)
from backends.cpu.schema.cost_model import MBCONV_MAX_BLOCKS
from backends.cpu.schema.declarations import OpSpec
from backends.cpu.schema.kernel_sizes import PANEL
from backends.cpu.schema.records import Window

# B^T and A^T of F(2 x 2, 3 x 3) and F(4 x 4, 3 x 3) (Lavin & Gray 2016). The interpolation points
# are 0, 1, -1 and infinity. F(4 x 4, 3 x 3) also uses 2 and -2.
_INPUT_TRANSFORM = {
    2: torch.tensor([[1.0, 0, -1, 0], [0, 1, 1, 0], [0, -1, 1, 0], [0, 1, 0, -1]]),
    4: torch.tensor(
        [
            [4.0, 0, -5, 0, 1, 0],
            [0, -4, -4, 1, 1, 0],
            [0, 4, -4, -1, 1, 0],
            [0, -2, -1, 2, 1, 0],
            [0, 2, -1, -2, 1, 0],
            [0, 4, 0, -5, 0, 1],
        ]
    ),
}
_OUTPUT_TRANSFORM = {
    2: torch.tensor([[1.0, 1, 1, 0], [0, 1, -1, -1]]),
    4: torch.tensor([[1.0, 1, 1, 1, 1, 0], [0, 1, -1, 2, -2, 0], [0, 1, 1, 4, 4, 0], [0, 1, -1, 8, -8, 1]]),
}


def padded(window: Window, x: Tensor, value: float = 0.0) -> Tensor:
    """Return `x`, [B, C, H, W], with the padding of `window`."""
    top, left, bottom, right = window.padding
    return F.pad(x, (left, right, top, bottom), value=value)


def _expect_images(spec: OpSpec, x: Sequence[object], y: Sequence[object]) -> None:
    expect(spec, len(x) == len(y) == 4 and x[0] == y[0], f"{x} and {y} are not images of the same batch size")


@check_shapes.register
def _check_conv(spec: ConvF32, sizes: Sizes) -> None:
    expect(spec, len(sizes) in (4, 5), f"{len(sizes)} tensors, expected 4 or 5")
    _expect_images(spec, sizes[0], sizes[-1])
    expect(spec, len(sizes) == 4 or sizes[3] == sizes[-1], "the residual and the output have different sizes")


@evaluate.register
def _conv(spec: ConvF32, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    x, packed, bias, *residual = inputs
    window, n = spec.window, outputs[0].shape[-1]
    columns = n // spec.groups
    weight = unpanelled(packed.float(), columns).reshape(n, *window.kernel, -1).permute(0, 3, 1, 2)
    bias = bias.reshape(spec.groups, -1)[:, :columns].flatten()
    image = padded(window, x if spec.planar else x.permute(0, 3, 1, 2))
    y = F.conv2d(image, weight, bias, window.stride, 0, window.dilation, spec.groups).permute(0, 2, 3, 1)
    outputs[0].copy_(activate(spec.activation, y + residual[0] if residual else y))


@check_shapes.register
def _check_dwconv(spec: DwconvF32, sizes: Sizes) -> None:
    expect(spec, len(sizes) == 4, f"{len(sizes)} tensors, expected 4")
    x, y = sizes[0], sizes[-1]
    _expect_images(spec, x, y)
    expect(spec, x[3] == y[3], f"{x} and {y} have different numbers of channels")


@evaluate.register
def _dwconv(spec: DwconvF32, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    x, packed, bias = inputs
    window, channels = spec.window, x.shape[3]
    weight = unpanelled(packed, channels).reshape(channels, 1, *window.kernel)
    image, bias = padded(window, x.permute(0, 3, 1, 2)), bias.flatten()[:channels]
    y = F.conv2d(image, weight, bias, window.stride, 0, window.dilation, channels)
    outputs[0].copy_(activate(spec.activation, y.permute(0, 2, 3, 1)))


@check_shapes.register
def _check_winograd(spec: WinogradF32, sizes: Sizes) -> None:
    expect(spec, len(sizes) in (5, 6), f"{len(sizes)} tensors, expected 5 or 6")
    x, y = sizes[0], sizes[-2]
    _expect_images(spec, x, y)
    expect(spec, sizes[1] == (spec.positions, -(-y[3] // PANEL), x[3], PANEL), f"weights {sizes[1]}")
    expect(spec, sizes[-1][1:] == (spec.workspace(x[3]),), f"workspace {sizes[-1]}")


@evaluate.register
def _winograd(spec: WinogradF32, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    x, packed, bias, *residual = inputs
    height, width, n = outputs[0].shape[1:]
    side, across = spec.side, spec.side + WINOGRAD_KERNEL - 1
    image = padded(spec.window, x.permute(0, 3, 1, 2))
    tiles = F.pad(image, (0, -width % side, 0, -height % side)).unfold(2, across, side).unfold(3, across, side)
    transformed = _INPUT_TRANSFORM[side] @ tiles @ _INPUT_TRANSFORM[side].t()
    products = torch.einsum("pnc,bcijp->bnijp", unpanelled(packed, n), transformed.flatten(4))
    results = _OUTPUT_TRANSFORM[side] @ products.unflatten(4, (across, across)) @ _OUTPUT_TRANSFORM[side].t()
    joined = results.permute(0, 1, 2, 4, 3, 5).flatten(2, 3).flatten(3, 4)[:, :, :height, :width]
    y = joined.permute(0, 2, 3, 1) + bias.flatten()[:n]
    outputs[0].copy_(activate(spec.activation, y + residual[0] if residual else y))


@check_shapes.register
def _check_conv_qs8(spec: ConvQs8, sizes: Sizes) -> None:
    expect(spec, len(sizes) == 6, f"{len(sizes)} tensors, expected 6")
    _expect_images(spec, sizes[0], sizes[-1])


@evaluate.register
def _conv_qs8(spec: ConvQs8, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    x, packed, *columns = inputs
    n = outputs[0].shape[3]
    weight = unquadded(packed, n, x.shape[3], spec.window.kernel, spec.groups)
    sums, scales, biases = (row.reshape(spec.groups, -1)[:, : n // spec.groups].flatten() for row in columns)
    total = _accumulators(x, spec.zero_point, weight, spec.window, spec.groups) - spec.zero_point * sums
    outputs[0].copy_(requantized(spec.output_quantization, total, scales, biases))


@check_shapes.register
def _check_dwconv_qs8(spec: DwconvQs8, sizes: Sizes) -> None:
    expect(spec, len(sizes) == 6, f"{len(sizes)} tensors, expected 6")
    x, y = sizes[0], sizes[-1]
    _expect_images(spec, x, y)
    expect(spec, x[3] == y[3], f"{x} and {y} have different numbers of channels")


@evaluate.register
def _dwconv_qs8(spec: DwconvQs8, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    x, packed, *columns = inputs
    channels = x.shape[3]
    weight = unquadded_taps(packed, channels, spec.window.kernel)
    sums, scales, biases = (row[:channels] for row in columns)
    total = _accumulators(x, spec.zero_point, weight, spec.window, channels) - spec.zero_point * sums
    outputs[0].copy_(requantized(spec.output_quantization, total, scales, biases))


@check_shapes.register
def _check_winograd_qs8(spec: WinogradQs8, sizes: Sizes) -> None:
    expect(spec, len(sizes) == 7, f"{len(sizes)} tensors, expected 7")
    x, y = sizes[0], sizes[-2]
    _expect_images(spec, x, y)
    packed = (WINOGRAD_QS8_POSITIONS, y[3] // PANEL, x[3] // 2, 2 * PANEL)
    expect(spec, sizes[1] == packed, f"weights {sizes[1]}")
    expect(spec, sizes[-1][1:] == (spec.workspace(x[3]),), f"workspace {sizes[-1]}")


@evaluate.register
def _winograd_qs8(spec: WinogradQs8, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    x, packed, sums, scales, biases = inputs
    total = _accumulators(x, spec.zero_point, winograd_codes(packed), spec.window, 1) - spec.zero_point * sums
    outputs[0].copy_(requantized(spec.output_quantization, total, scales, biases))


def _accumulators(x: Tensor, zero_point: int, weight: Tensor, window: Window, groups: int) -> Tensor:
    """Return the exact convolution of quantized values, padded with `zero_point`."""
    image = padded(window, x.permute(0, 3, 1, 2).double(), zero_point)
    sums = F.conv2d(image, weight.double(), None, window.stride, 0, window.dilation, groups)
    return sums.permute(0, 2, 3, 1)


@check_shapes.register
def _check_mbconv(spec: MbconvF32, sizes: Sizes) -> None:
    inputs = len(sizes) - 2
    expect(
        spec,
        1 <= len(spec.blocks) <= MBCONV_MAX_BLOCKS,
        f"{len(spec.blocks)} blocks, expected 1 to {MBCONV_MAX_BLOCKS}",
    )
    expect(
        spec,
        inputs - spec.without_residual in (0, 1),
        f"{inputs} inputs, expected {spec.without_residual}, or {spec.without_residual + 1} with a residual",
    )
    _expect_images(spec, sizes[0], sizes[-2])
    has_residual = inputs > spec.without_residual
    expect(spec, not has_residual or sizes[-3] == sizes[-2], "the residual and the output have different sizes")


@evaluate.register
def _mbconv(spec: MbconvF32, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    x, end = inputs[0], spec.without_residual
    weights = [inputs[start : start + MBCONV_WEIGHTS] for start in range(1, end, MBCONV_WEIGHTS)]
    for block, own, following in zip(spec.blocks, weights, weights[1:]):
        size = block.filter.window.output_size(block.expanded_size(x.shape))
        y = x.new_empty(len(x), *size, following[0].shape[2])
        _run_block(block, x, own, [], y)
        x = y
    _run_block(spec.blocks[-1], x, weights[-1], inputs[end:], outputs[0])


def _run_block(block: MbconvBlock, x: Tensor, weights: Sequence[Tensor], residual: Sequence[Tensor], y: Tensor) -> None:
    expand, expand_bias, taps, tap_bias, project, bias = weights
    channels = taps.shape[0] * PANEL
    expanded = x.new_empty(len(x), *block.expanded_size(x.shape), channels)
    filtered = x.new_empty(*y.shape[:3], channels)
    evaluate(block.expand, [x, expand, expand_bias], [expanded], [])
    evaluate(block.filter, [expanded, taps, tap_bias], [filtered], [])
    evaluate(block.project, [filtered[..., : project.shape[1]], project, bias, *residual], [y], [])


@check_shapes.register
def _check_col2im(spec: Col2im, sizes: Sizes) -> None:
    expect(spec, len(sizes) == 2, f"{len(sizes)} tensors, expected 2")
    x, y = sizes
    expect(spec, len(x) == 5 and len(y) == 4, f"ranks of {x} and {y} are not 5 and 4")
    expect(spec, (x[0], x[3], x[4]) == (y[0], spec.window.taps, y[3]), f"windows {x} do not match {y}")


@evaluate.register
def _col2im(spec: Col2im, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    window, size = spec.window, outputs[0].shape[1:3]
    columns = inputs[0].permute(0, 4, 3, 1, 2).flatten(1, 2).flatten(2)
    y = F.fold(columns, size, window.kernel, window.dilation, window.padding[:2], window.stride)
    outputs[0].copy_(y.permute(0, 2, 3, 1))
