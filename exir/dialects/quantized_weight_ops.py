"""The `quantized_weight` operators: linear layers whose weights stay in their few bits.

`dequantize` is what a weight of blocks is before such a layer takes it. `linear` computes in floats. `dynamic_linear` first quantizes each row of its input to int8, by the row's own range, and
multiplies whole numbers.
"""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.library import Library

from exir.quantized_weights import dequantized, dequantized_blocks

NAMESPACE = "quantized_weight"
_ARGUMENTS = "(Tensor input, Tensor weight, Tensor weight_scales, Tensor? weight_zero_points, Tensor? bias, int bits"
_BLOCKS = "(Tensor weight, Tensor weight_scales, Tensor? weight_minima, int bits"
_LOWEST, _HIGHEST = -128, 127


def _linear(
    x: Tensor,
    weight: Tensor,
    scales: Tensor,
    zero_points: Tensor | None,
    bias: Tensor | None,
    bits: int,
) -> Tensor:
    return _product(x.float(), weight, scales, zero_points, bias, bits).to(x.dtype)


def _dynamic_linear(
    x: Tensor,
    weight: Tensor,
    scales: Tensor,
    zero_points: Tensor | None,
    bias: Tensor | None,
    bits: int,
) -> Tensor:
    rows = quantized_rows(x.float())
    return _product(rows, weight, scales, zero_points, bias, bits).to(x.dtype)


def _product(
    rows: Tensor,
    weight: Tensor,
    scales: Tensor,
    zero_points: Tensor | None,
    bias: Tensor | None,
    bits: int,
) -> Tensor:
    matrix = dequantized(weight, scales, zero_points, bits).float()
    return torch.nn.functional.linear(rows, matrix, None if bias is None else bias.float())


def quantized_rows(rows: Tensor) -> Tensor:
    """What rows of float32 stand for once each is in int8 by the range that it and zero take."""
    low = rows.amin(-1, keepdim=True).clamp(max=0.0)
    high = rows.amax(-1, keepdim=True).clamp(min=0.0)
    scale = ((high - low) / float(_HIGHEST - _LOWEST)).clamp(min=torch.finfo(torch.float32).eps)
    zero_point = (_LOWEST - torch.round(low / scale)).clamp(_LOWEST, _HIGHEST)
    codes = torch.round(rows * (1.0 / scale)) + zero_point
    return (codes.clamp(_LOWEST, _HIGHEST) - zero_point) * scale


def _shape_only(x: Tensor, weight: Tensor, *_: object) -> Tensor:
    return x.new_empty([*x.shape[:-1], weight.shape[0]])


def _matrix_shape(weight: Tensor, scales: Tensor, minima: Tensor | None, bits: int) -> Tensor:
    return weight.new_empty([weight.shape[0], weight.shape[1] * (8 // bits)], dtype=torch.float32)


def _writing(functional: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def run(*args: Tensor, out: Tensor) -> Tensor:
        return out.copy_(functional(*args))

    return run


def _register() -> Library:
    library = Library(NAMESPACE, "FRAGMENT")
    for name, run in (("linear", _linear), ("dynamic_linear", _dynamic_linear)):
        library.define(name + _ARGUMENTS + ") -> Tensor")
        library.define(name + ".out" + _ARGUMENTS + ", *, Tensor(a!) out) -> Tensor(a!)")
        library.impl(name, run, "CompositeExplicitAutograd")
        library.impl(name, _shape_only, "Meta")
        library.impl(name + ".out", _writing(run), "CompositeExplicitAutograd")
    library.define("dequantize" + _BLOCKS + ") -> Tensor")
    library.impl("dequantize", dequantized_blocks, "CompositeExplicitAutograd")
    library.impl("dequantize", _matrix_shape, "Meta")
    return library


# Torch drops the operators with the object that registered them, so it lives as long as the module.
_LIBRARY = _register()
