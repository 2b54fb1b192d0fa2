"""The `quantized_bytes` operators: int8 arithmetic between quantized tensors.

A quantized value q represents (q - zero_point) * scale. Values are int8 or uint8; weights are int8
with zero point 0. A result is round(r) + zero_point, clamped to [low, high], where r is the result
in units of its scale. Factors rescale accumulators or operands to that unit. A bias is already in
that unit.
"""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.library import Library

from exir.dialects.custom_ops import writing

NAMESPACE = "quantized_bytes"
_RANGE = "int zero_point, int low, int high"
_PRODUCT = "Tensor input, int input_zero_point, Tensor weight, Tensor factors, Tensor? bias"
_PAIR = "Tensor a, int a_zero_point, float a_factor, Tensor b, int b_zero_point, float b_factor"


def _to_steps(codes: Tensor, zero_point: int) -> Tensor:
    return (codes.to(torch.int32) - zero_point).double()


def _requantize(steps: Tensor, zero_point: int, low: int, high: int, dtype: torch.dtype) -> Tensor:
    return (torch.round(steps) + zero_point).clamp(low, high).to(dtype)


def _quantized_convolution(
    x: Tensor,
    x_zero_point: int,
    weight: Tensor,
    factors: Tensor,
    bias: Tensor | None,
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    groups: int,
    *limits: int,
) -> Tensor:
    rest = stride, padding, dilation, False, [0] * len(stride), groups
    sums = torch.ops.aten.convolution(_to_steps(x, x_zero_point), weight.double(), None, *rest)
    return (
        _requantize_rows(sums.movedim(1, -1), factors, bias, limits, x.dtype).movedim(-1, 1).contiguous()
    )


def _quantized_linear(
    x: Tensor, x_zero_point: int, weight: Tensor, factors: Tensor, bias: Tensor | None, *limits: int
) -> Tensor:
    return _requantize_rows(
        _to_steps(x, x_zero_point) @ weight.double().t(), factors, bias, limits, x.dtype
    )


def _requantize_rows(
    sums: Tensor, factors: Tensor, bias: Tensor | None, limits: tuple[int, ...], dtype: torch.dtype
) -> Tensor:
    steps = sums.float() * factors + (0.0 if bias is None else bias)
    return _requantize(steps, limits[0], limits[1], limits[2], dtype)


def _quantized_binary_op(combine: Callable[[Tensor, Tensor], Tensor]) -> Callable[..., Tensor]:
    def run(
        a: Tensor, a_zero: int, a_factor: float, b: Tensor, b_zero: int, b_factor: float, *limits: int
    ) -> Tensor:
        steps = combine(_to_steps(a, a_zero).float() * a_factor, _to_steps(b, b_zero).float() * b_factor)
        return _requantize(steps, limits[0], limits[1], limits[2], a.dtype)

    return run


def _look_up(x: Tensor, table: Tensor) -> Tensor:
    # `empty_like` preserves the operand's layout; indexing does not. `table[...]` would convert a
    # 0-d index to a Python integer.
    indices = x.to(torch.int64) - torch.iinfo(x.dtype).min
    return torch.empty_like(x).copy_(torch.ops.aten.index.Tensor(table, [indices]))


def _quantized_mean(x: Tensor, dims: list[int], keepdim: bool, zero_point: int) -> Tensor:
    limits = torch.iinfo(x.dtype)
    steps = _to_steps(x, zero_point).mean(dims, keepdim)
    return _requantize(steps, zero_point, limits.min, limits.max, x.dtype)


def _avg_pool2d(
    x: Tensor,
    kernel_size: list[int],
    stride: list[int],
    padding: list[int],
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
    zero_point: int,
) -> Tensor:
    limits = torch.iinfo(x.dtype)
    rest = kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    steps = torch.ops.aten.avg_pool2d(_to_steps(x, zero_point), *rest)
    return _requantize(steps, zero_point, limits.min, limits.max, x.dtype)


_CONVOLUTION = "int[] stride, int[] padding, int[] dilation, int groups"
_WINDOWS = "int[2] kernel_size, int[2] stride, int[2] padding, bool ceil_mode, bool count_include_pad"

# Each operator's arguments, and the function that computes it.
_OPERATORS: dict[str, tuple[str, Callable[..., Tensor]]] = {
    "add": (f"{_PAIR}, {_RANGE}", _quantized_binary_op(torch.add)),
    "avg_pool2d": (f"Tensor input, {_WINDOWS}, int? divisor_override, int zero_point", _avg_pool2d),
    "convolution": (f"{_PRODUCT}, {_CONVOLUTION}, {_RANGE}", _quantized_convolution),
    "linear": (f"{_PRODUCT}, {_RANGE}", _quantized_linear),
    "maximum": (f"{_PAIR}, {_RANGE}", _quantized_binary_op(torch.maximum)),
    "mean": ("Tensor input, int[] dim, bool keepdim, int zero_point", _quantized_mean),
    "minimum": (f"{_PAIR}, {_RANGE}", _quantized_binary_op(torch.minimum)),
    "mul": (f"{_PAIR}, {_RANGE}", _quantized_binary_op(torch.mul)),
    "table": ("Tensor input, Tensor table", _look_up),
}


def _register_int8_ops() -> Library:
    library = Library(NAMESPACE, "FRAGMENT")
    for name, (arguments, run) in _OPERATORS.items():
        library.define(f"{name}({arguments}) -> Tensor")
        library.define(f"{name}.out({arguments}, *, Tensor(a!) out) -> Tensor(a!)")
        library.impl(name, run, "CompositeExplicitAutograd")
        # The function also computes the result's shape, symbolic or not.
        torch.library.register_fake(f"{NAMESPACE}::{name}", run, lib=library)
        library.impl(name + ".out", writing(run), "CompositeExplicitAutograd")
    return library


# Torch unregisters the operators when the library object is deleted.
_LIBRARY = _register_int8_ops()
