"""A product or convolution of what bytes stand for, as a step on the bytes."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from backends.cpu.compiler.dims import Dim, product
from backends.cpu.compiler.graph import Step, Value, constant
from backends.cpu.compiler.kinds.activation import NONE, Activation, Function
from backends.cpu.compiler.kinds.bytes import Quantize
from backends.cpu.compiler.kinds.convolution import Convolution
from backends.cpu.compiler.kinds.convolution_i8 import (
    MOST_CHANNELS,
    MOST_QUADS,
    MOST_TAPS,
    ConvolutionI8,
    DepthwiseI8,
)
from backends.cpu.compiler.kinds.depthwise import Depthwise
from backends.cpu.compiler.kinds.permute import Permute
from backends.cpu.compiler.kinds.product import Product
from backends.cpu.compiler.kinds.quantizing import Quantizing, Reading
from backends.cpu.compiler.kinds.window import Window
from backends.cpu.compiler.lower.builder import view
from backends.cpu.compiler.lower.volumes import flat_weight
from backends.cpu.compiler.packing import group_bias, padded, quads, tap_quads
from backends.cpu.compiler.quantized import Codes

_TO_CHANNELS_LAST = (0, 2, 3, 1)


class Weighted:
    """A product or convolution in bytes."""

    def __init__(self, writer: Step, step: Step, x: Value, reading: Reading, codes: Codes) -> None:
        operation = writer.operation
        assert isinstance(operation, (Product, Convolution, Depthwise)) and isinstance(step.operation, Quantize)
        bias = writer.inputs[2].constant
        assert bias is not None
        self._operation = operation
        self._x, self._reading, self._y = x, reading, view(step.output, writer.output.dims)
        self._codes, self._bias = _as_kernels(codes.codes), bias
        self._scales = (codes.scales.double() * reading.scale).float()
        self._quantizing = clamped(step.operation.quantizing, operation.activation)
        self._nodes = writer.nodes + step.nodes

    def steps(self) -> list[Step] | None:
        """One, after one that brings planes in order; None where rows are too long."""
        if isinstance(self._operation, Depthwise):
            return self._depthwise(self._operation.window)
        if isinstance(self._operation, Product):
            self._x, self._y = _as_picture(self._x), _as_picture(self._y)
            return self._convolution(Window((1, 1)), 1)
        before = self._in_order() if self._operation.planes else []
        after = self._convolution(self._operation.window, self._operation.groups)
        return None if after is None else before + after

    def _in_order(self) -> list[Step]:
        planes = self._x
        dims = tuple(planes.dims[dim] for dim in _TO_CHANNELS_LAST)
        self._x = Value(planes.dtype, dims)
        return [Step(Permute(_TO_CHANNELS_LAST), (planes,), (self._x,), nodes=self._nodes[:1])]

    def _convolution(self, window: Window, groups: int) -> list[Step] | None:
        packed = quads(self._codes, groups)
        if window.taps > MOST_TAPS or packed.shape[1] > MOST_QUADS or self._codes.shape[1] > MOST_CHANNELS:
            return None
        operation = ConvolutionI8(window, *self._bytes(), groups)
        return [self._step(operation, packed, lambda row: group_bias(row, groups))]

    def _depthwise(self, window: Window) -> list[Step] | None:
        if window.taps > MOST_TAPS:
            return None
        operation = DepthwiseI8(window, *self._bytes())
        return [self._step(operation, tap_quads(self._codes), lambda row: padded(row, 0))]

    def _bytes(self) -> tuple[int, int, int, Quantizing]:
        """How bytes are read and written; what adds up in int16 is found later (bytes_bounds)."""
        return self._reading.zero_point, 0, torch.iinfo(self._x.dtype).min, self._quantizing

    def _step(self, operation: Any, packed: Tensor, pad: Callable[[Tensor], Tensor]) -> Step:
        sums = self._codes.flatten(1).sum(1, dtype=torch.int32)
        columns = [constant(pad(row)) for row in (sums, self._scales, self._bias)]
        return Step(operation, (self._x, constant(packed), *columns), (self._y,), nodes=self._nodes)


def _as_kernels(codes: Tensor) -> Tensor:
    """[N, ...] as [N, C, kh, kw]: of a matrix, of one dimension, whose height is 1, or of three as pictures that are joined."""
    if codes.dim() == 2:
        return codes[:, :, None, None]
    if codes.dim() == 5:
        return flat_weight(codes)
    return codes.unsqueeze(2) if codes.dim() == 3 else codes


def _as_picture(value: Value) -> Value:
    """Rows as the pixels of one line."""
    *rows, columns = value.dims
    if len(value.dims) == 4:
        return value
    dims: tuple[Dim, ...] = (1, 1, product(rows), columns)
    return view(value, dims)


def is_clamp(activation: Activation) -> bool:
    return activation == NONE or activation.function is Function.CLAMP


def clamped(quantizing: Quantizing, activation: Activation) -> Quantizing:
    return quantizing if activation == NONE else quantizing.clamped(activation.low, activation.high)
