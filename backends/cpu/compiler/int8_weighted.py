"""Replace a GEMM or convolution of dequantized values with an int8 op."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from backends.cpu.compiler.dims import Dim, product
from backends.cpu.compiler.graph import Op, Value, constant
from backends.cpu.compiler.lower.builder import view
from backends.cpu.compiler.lower.volumes import flat_weight
from backends.cpu.compiler.ops.quantization import clamped
from backends.cpu.compiler.packing import group_bias, padded, quads, tap_quads
from backends.cpu.compiler.quantized import QuantizedConstant
from backends.cpu.schema.convolution import ConvF32, ConvQs8, DwconvF32, DwconvQs8
from backends.cpu.schema.copies import Permute
from backends.cpu.schema.gemm import GemmF32
from backends.cpu.schema.kernel_sizes import (
    CONV_QS8_MAX_CHANNELS,
    CONV_QS8_MAX_QUADS,
    CONV_QS8_MAX_TAPS,
    DWCONV_QS8_MAX_TAPS,
)
from backends.cpu.schema.quantization import Quantize
from backends.cpu.schema.records import NONE, Activation, ActivationFunction, OutputQuantization, QuantParams, Window

_TO_CHANNELS_LAST = (0, 2, 3, 1)


class Weighted:
    """An int8 GEMM or convolution that replaces `writer` and the `quantize` op `op`."""

    def __init__(self, writer: Op, op: Op, x: Value, x_params: QuantParams, weight: QuantizedConstant) -> None:
        spec = writer.spec
        assert isinstance(spec, (GemmF32, ConvF32, DwconvF32)) and isinstance(op.spec, Quantize)
        bias = writer.inputs[2].constant
        assert bias is not None
        self._operation = spec
        self._x, self._x_params, self._y = x, x_params, view(op.output, writer.output.dims)
        self._weight, self._bias = _as_kernels(weight.values), bias
        self._scales = (weight.scales.double() * x_params.scale).float()
        self._output_quantization = with_clamp(op.spec.output_quantization, spec.activation)
        self._nodes = writer.nodes + op.nodes

    def ops(self) -> list[Op] | None:
        """Return the int8 op, preceded by a permutation to NHWC if x is planar.

        Return None if the op would exceed a limit.
        """
        if isinstance(self._operation, DwconvF32):
            return self._depthwise(self._operation.window)
        if isinstance(self._operation, GemmF32):
            self._x, self._y = _as_image(self._x), _as_image(self._y)
            return self._convolution(Window((1, 1)), 1)
        before = self._in_order() if self._operation.planar else []
        after = self._convolution(self._operation.window, self._operation.groups)
        return None if after is None else before + after

    def _in_order(self) -> list[Op]:
        planes = self._x
        dims = tuple(planes.dims[dim] for dim in _TO_CHANNELS_LAST)
        self._x = Value(planes.dtype, dims)
        return [Op(Permute(_TO_CHANNELS_LAST), (planes,), (self._x,), nodes=self._nodes[:1])]

    def _convolution(self, window: Window, groups: int) -> list[Op] | None:
        packed = quads(self._weight, groups)
        if (
            window.taps > CONV_QS8_MAX_TAPS
            or packed.shape[1] > CONV_QS8_MAX_QUADS
            or self._weight.shape[1] > CONV_QS8_MAX_CHANNELS
        ):
            return None
        spec = ConvQs8(window, *self._quantization(), groups)
        return [self._op(spec, packed, lambda row: group_bias(row, groups))]

    def _depthwise(self, window: Window) -> list[Op] | None:
        if window.taps > DWCONV_QS8_MAX_TAPS:
            return None
        spec = DwconvQs8(window, *self._quantization())
        return [self._op(spec, tap_quads(self._weight), lambda row: padded(row, 0))]

    def _quantization(self) -> tuple[int, int, int, OutputQuantization]:
        """Return the zero point, max_exact_terms, min_value and the output quantization.

        max_exact_terms and min_value are placeholders, which `narrow_products` replaces.
        """
        return self._x_params.zero_point, 0, torch.iinfo(self._x.dtype).min, self._output_quantization

    def _op(self, spec: Any, packed: Tensor, pad: Callable[[Tensor], Tensor]) -> Op:
        sums = self._weight.flatten(1).sum(1, dtype=torch.int32)
        columns = [constant(pad(row)) for row in (sums, self._scales, self._bias)]
        return Op(spec, (self._x, constant(packed), *columns), (self._y,), nodes=self._nodes)


def _as_kernels(weight: Tensor) -> Tensor:
    """Return the weights of a GEMM or convolution (1-D to 3-D) as [N, C, kh, kw]."""
    if weight.dim() == 2:
        return weight[:, :, None, None]
    if weight.dim() == 5:
        return flat_weight(weight)
    return weight.unsqueeze(2) if weight.dim() == 3 else weight


def _as_image(value: Value) -> Value:
    """View rows as an image [1, 1, rows, C]. Images are returned unchanged."""
    *rows, columns = value.dims
    if len(value.dims) == 4:
        return value
    dims: tuple[Dim, ...] = (1, 1, product(rows), columns)
    return view(value, dims)


def is_clamp(activation: Activation) -> bool:
    return activation == NONE or activation.function is ActivationFunction.CLAMP


def with_clamp(output_quantization: OutputQuantization, activation: Activation) -> OutputQuantization:
    return output_quantization if activation == NONE else clamped(output_quantization, activation.low, activation.high)
