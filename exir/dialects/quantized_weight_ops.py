"""The `quantized_weight` operators: layers whose weights stay low-bit.

- `dequantize` converts a blockwise quantized weight to float32.
- `linear` and `linear_with_minimum` compute in float32.
- `dynamic_linear` first quantizes each row of its input to int8, with the row's range.
- `dynamic_linear_per_tensor` quantizes all rows with one range. Its scale is at least `eps`.
- `embedding` returns float32 rows.

`exir.weights.quantized_weights` defines the layout of weights.
"""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.library import Library

from exir.dialects.custom_ops import writing
from exir.weights.quantized_weights import dequantized, dequantized_blocks

NAMESPACE = "quantized_weight"
_LAYER = "(Tensor input, Tensor weight, Tensor weight_scales, {}, Tensor? bias, int bits"
_SHIFTED = _LAYER.format("Tensor? weight_zero_points")
_RAISED = _LAYER.format("Tensor weight_minima")
_TABLE = "(Tensor weight, Tensor weight_scales, Tensor? weight_minima, Tensor indices, int bits"
_BLOCKS = "(Tensor weight, Tensor weight_scales, Tensor? weight_minima, int bits"
_LOWEST, _HIGHEST = -128, 127


def _low_bit_linear(
    x: Tensor,
    weight: Tensor,
    scales: Tensor,
    zero_points: Tensor | None,
    bias: Tensor | None,
    bits: int,
) -> Tensor:
    return _grouped_gemm(x.float(), weight, scales, zero_points, bias, bits).to(x.dtype)


def _dynamic_linear(
    x: Tensor,
    weight: Tensor,
    scales: Tensor,
    zero_points: Tensor | None,
    bias: Tensor | None,
    bits: int,
) -> Tensor:
    rows = quantized_rows(x.float())
    return _grouped_gemm(rows, weight, scales, zero_points, bias, bits).to(x.dtype)


def _dynamic_linear_per_tensor(
    x: Tensor,
    weight: Tensor,
    scales: Tensor,
    zero_points: Tensor | None,
    bias: Tensor | None,
    bits: int,
    eps: float,
) -> Tensor:
    floats = x.float()
    steps = by_range(floats, floats.amin().clamp(max=0.0), floats.amax().clamp(min=0.0), eps)
    return _grouped_gemm(steps, weight, scales, zero_points, bias, bits).to(x.dtype)


def _grouped_gemm(
    rows: Tensor,
    weight: Tensor,
    scales: Tensor,
    zero_points: Tensor | None,
    bias: Tensor | None,
    bits: int,
) -> Tensor:
    return _rows_times_matrix(rows, dequantized(weight, scales, zero_points, bits), bias)


def _rows_times_matrix(rows: Tensor, matrix: Tensor, bias: Tensor | None) -> Tensor:
    return torch.nn.functional.linear(rows, matrix.float(), None if bias is None else bias.float())


def _linear_with_minimum(
    x: Tensor,
    weight: Tensor,
    scales: Tensor,
    minima: Tensor,
    bias: Tensor | None,
    bits: int,
) -> Tensor:
    return _rows_times_matrix(x.float(), dequantized_blocks(weight, scales, minima, bits), bias).to(
        x.dtype
    )


def _low_bit_embedding(
    weight: Tensor, scales: Tensor, minima: Tensor | None, indices: Tensor, bits: int
) -> Tensor:
    chosen = indices.flatten()
    chosen_minima = None if minima is None else minima[chosen]
    rows = dequantized_blocks(weight[chosen], scales[chosen], chosen_minima, bits)
    return rows.reshape(*indices.shape, rows.shape[1])


def quantized_rows(rows: Tensor) -> Tensor:
    """Quantize each row to int8 and dequantize it. Each row's range includes zero."""
    low = rows.amin(-1, keepdim=True).clamp(max=0.0)
    high = rows.amax(-1, keepdim=True).clamp(min=0.0)
    return by_range(rows, low, high, torch.finfo(torch.float32).eps)


def by_range(rows: Tensor, low: Tensor, high: Tensor, eps: float) -> Tensor:
    """Quantize `rows` to int8 between `low` and `high`, and dequantize them.

    eps: the minimum scale.
    """
    scale = ((high - low) / float(_HIGHEST - _LOWEST)).clamp(min=eps)
    zero_point = (_LOWEST - torch.round(low / scale)).clamp(_LOWEST, _HIGHEST)
    codes = torch.round(rows * (1.0 / scale)) + zero_point
    return (codes.clamp(_LOWEST, _HIGHEST) - zero_point) * scale


def _layer_shape(x: Tensor, weight: Tensor, *_: object) -> Tensor:
    return x.new_empty([*x.shape[:-1], weight.shape[0]])


def _matrix_shape(weight: Tensor, scales: Tensor, minima: Tensor | None, bits: int) -> Tensor:
    return weight.new_empty([weight.shape[0], weight.shape[1] * (8 // bits)], dtype=torch.float32)


def _embedding_shape(
    weight: Tensor, _scales: Tensor, _minima: Tensor | None, indices: Tensor, bits: int
) -> Tensor:
    return weight.new_empty([*indices.shape, weight.shape[1] * 8 // bits], dtype=torch.float32)


# Schema, implementation and shape function of each operator.
_OPERATORS: dict[str, tuple[str, Callable[..., Tensor], Callable[..., Tensor]]] = {
    "linear": (_SHIFTED, _low_bit_linear, _layer_shape),
    "linear_with_minimum": (_RAISED, _linear_with_minimum, _layer_shape),
    "dynamic_linear": (_SHIFTED, _dynamic_linear, _layer_shape),
    "dynamic_linear_per_tensor": (
        _SHIFTED + ", float eps",
        _dynamic_linear_per_tensor,
        _layer_shape,
    ),
    "embedding": (_TABLE, _low_bit_embedding, _embedding_shape),
}


def _register_low_bit_ops() -> Library:
    library = Library(NAMESPACE, "FRAGMENT")
    for name, (arguments, run, shape_only) in _OPERATORS.items():
        library.define(name + arguments + ") -> Tensor")
        library.define(name + ".out" + arguments + ", *, Tensor(a!) out) -> Tensor(a!)")
        library.impl(name, run, "CompositeExplicitAutograd")
        library.impl(name, shape_only, "Meta")
        library.impl(name + ".out", writing(run), "CompositeExplicitAutograd")
    library.define("dequantize" + _BLOCKS + ") -> Tensor")
    library.impl("dequantize", dequantized_blocks, "CompositeExplicitAutograd")
    library.impl("dequantize", _matrix_shape, "Meta")
    return library


# Torch unregisters the operators when the library object is deleted.
_LIBRARY = _register_low_bit_ops()
