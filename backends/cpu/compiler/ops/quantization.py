"""Quantization in PyTorch, and reference semantics of elementwise int8 ops."""

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite

import torch
from torch import Tensor

from backends.cpu.compiler.dims import Dim, product
from backends.cpu.compiler.ops.reference import Sizes, check_shapes, evaluate, expect
from backends.cpu.schema.quantization import BinaryOp, BinaryQs8, Cast, Dequantize, LutQs8, Quantize
from backends.cpu.schema.records import OutputQuantization, QuantParams


def dequantized(params: QuantParams, values: Tensor) -> Tensor:
    """Return the real numbers that quantized `values` represent."""
    return (values.float() - params.zero_point) * params.scale


def quantized(output: OutputQuantization, x: Tensor) -> Tensor:
    """Return the quantized values of the real numbers `x`, as floats."""
    return _rounded(output, x * output.inverse)


def requantized(output: OutputQuantization, sums: Tensor, scale: Tensor, bias: Tensor) -> Tensor:
    """Return the quantized values of sums * scale + bias, as floats.

    Scale and bias are multiplied by the inverse scale of the output first, as the runtime does.
    """
    return _rounded(output, sums.float() * (scale * output.inverse) + bias * output.inverse)


def clamped(output: OutputQuantization, low: float, high: float) -> OutputQuantization:
    """Return `output` with real values clamped to `low..high`. Rounding is monotonic."""
    return replace(output, low=_quantized_bound(output, low), high=_quantized_bound(output, high))


def _rounded(output: OutputQuantization, steps: Tensor) -> Tensor:
    return (torch.round(steps) + output.zero_point).clamp(output.low, output.high)


def _quantized_bound(output: OutputQuantization, bound: float) -> int:
    if not isfinite(bound):
        return output.high if bound > 0 else output.low
    return int(quantized(output, torch.tensor(bound)))


def is_row(sizes: Sequence[Dim], of: Sequence[Dim]) -> bool:
    """Return whether `sizes`, without leading ones, are the last sizes of `of`."""
    first = next((dim for dim, size in enumerate(sizes) if size != 1), len(sizes))
    last = tuple(sizes[first:])
    return len(sizes) <= len(of) and tuple(of[len(of) - len(last) :]) == last


@check_shapes.register(Quantize)
@check_shapes.register(Dequantize)
def _check_quantize(spec: Quantize | Dequantize, sizes: Sizes) -> None:
    expect(spec, len(sizes) == 2 and sizes[0] == sizes[1], "the input and the output have different sizes")


@evaluate.register
def _quantize(spec: Quantize, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    outputs[0].copy_(quantized(spec.output_quantization, inputs[0]))


@evaluate.register
def _dequantize(spec: Dequantize, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    outputs[0].copy_(dequantized(spec.params, inputs[0]))


@check_shapes.register
def _check_binary(spec: BinaryQs8, sizes: Sizes) -> None:
    expect(spec, len(sizes) == 3, f"{len(sizes)} tensors, expected 3")
    a, b, y = sizes
    expect(spec, a == y, f"first operand is {a}, but output is {y}")
    expect(spec, is_row(b, y), f"{b} are not the trailing sizes of {y}")


@evaluate.register
def _binary(spec: BinaryQs8, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    a, b = dequantized(spec.a, inputs[0]), dequantized(spec.b, inputs[1])
    outputs[0].copy_(quantized(spec.output_quantization, a * b if spec.function is BinaryOp.MUL else a + b))


@check_shapes.register
def _check_lut(spec: LutQs8, sizes: Sizes) -> None:
    expect(spec, len(sizes) == 3, f"{len(sizes)} tensors, expected 3")
    x, table, y = sizes
    expect(spec, x == y, f"input is {x}, but output is {y}")
    expect(spec, table == (256,), f"shape of the lookup table is {table}, expected (256,)")


@evaluate.register
def _lut(spec: LutQs8, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    x, table = inputs
    outputs[0].copy_(table[x.view(torch.uint8).long()])


FLOAT16_DTYPES = (torch.float16, torch.bfloat16)
"""The 16-bit floating-point dtypes. Ops compute in float32 instead."""


@check_shapes.register
def _check_cast(spec: Cast, sizes: Sizes) -> None:
    expect(spec, len(sizes) == 2, f"{len(sizes)} tensors, expected 2")
    x, y = sizes
    expect(spec, product(x) == product(y), f"{x} and {y} have different numbers of elements")


@evaluate.register
def _cast(spec: Cast, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    outputs[0].copy_(inputs[0].reshape(outputs[0].shape))
