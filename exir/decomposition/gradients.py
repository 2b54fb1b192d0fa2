"""Decomposes gradient operators, and detects derivatives that the export loses."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import SymInt, Tensor
from torch._decomp import decompositions
from torch._ops import OpOverload
from torch.export import ExportedProgram

from exir.error import ModelError

_ATEN = torch.ops.aten
_Sizes = Sequence[int | SymInt]


def _max_pool_backward(
    gradient: Tensor,
    x: Tensor,
    kernel: _Sizes,
    stride: _Sizes,
    padding: _Sizes,
    dilation: _Sizes,
    ceil_mode: bool,
    places: Tensor,
) -> Tensor:
    """Scatter each window's gradient to the position of its maximum."""
    channels = x.shape[:-2]
    windows = [*channels, math.prod(places.shape[-2:])]
    result = torch.zeros_like(x).reshape([*channels, math.prod(x.shape[-2:])])
    result = result.scatter_add(-1, places.reshape(windows), gradient.reshape(windows))
    return result.reshape(x.shape)


def _convolution_backward(
    gradient: Tensor,
    x: Tensor,
    weight: Tensor,
    bias_sizes: _Sizes | None,
    stride: _Sizes,
    padding: _Sizes,
    dilation: _Sizes,
    transposed: bool,
    output_padding: _Sizes,
    groups: int,
    output_mask: Sequence[bool],
) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
    """Return the gradients that `output_mask` selects, of input, weight and bias."""
    dims = x.dim() - 2
    stride, padding, dilation = (_expand_sizes(sizes, dims) for sizes in (stride, padding, dilation))
    of_input = of_weight = of_bias = None
    if output_mask[0]:
        extra = [0] * dims if transposed else _cut_off(gradient, x, weight, stride, padding, dilation)
        rest = (stride, padding, dilation, not transposed, extra, groups)
        of_input = _ATEN.convolution.default(gradient, weight, None, *rest)
    if output_mask[1]:
        pair = (gradient, x) if transposed else (x, gradient)
        of_weight = _weight_gradient(*pair, weight, stride, padding, dilation, groups)
    if output_mask[2]:
        of_bias = gradient.sum([0, *range(2, x.dim())])
    return of_input, of_weight, of_bias


def _expand_sizes(values: _Sizes, dims: int) -> list[int | SymInt]:
    return list(values) if len(values) == dims else [values[0]] * dims


def _cut_off(
    gradient: Tensor, x: Tensor, weight: Tensor, stride: _Sizes, padding: _Sizes, dilation: _Sizes
) -> list[int | SymInt]:
    """Return the number of elements at the end of each axis that no window covers."""
    reached = (
        (gradient.shape[i + 2] - 1) * stride[i]
        - 2 * padding[i]
        + dilation[i] * (weight.shape[i + 2] - 1)
        + 1
        for i in range(x.dim() - 2)
    )
    return [x.shape[i + 2] - size for i, size in enumerate(reached)]


def _weight_gradient(
    x: Tensor,
    gradient: Tensor,
    weight: Tensor,
    stride: _Sizes,
    padding: _Sizes,
    dilation: _Sizes,
    groups: int,
) -> Tensor:
    """Compute the weight gradient as a convolution of the input with the gradient.

    Batch and channels are exchanged, and so are stride and dilation.
    """
    images, channels, *sizes = x.shape
    spatial = range(3, x.dim() + 1)
    x = x.reshape([images, groups, channels // groups, *sizes]).permute([2, 1, 0, *spatial])
    x = x.reshape([channels // groups, groups * images, *sizes])
    kernel = gradient.transpose(0, 1)
    rest = (dilation, padding, stride, False, [0] * len(sizes), groups)
    result = _ATEN.convolution.default(x, kernel, None, *rest).transpose(0, 1)
    for dim, size in enumerate(weight.shape[2:], 2):
        result = result.narrow(dim, 0, size)
    return result.contiguous()


def _average_pool_backward(
    gradient: Tensor,
    x: Tensor,
    kernel: _Sizes,
    stride: _Sizes,
    padding: _Sizes,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor: int | None,
) -> Tensor:
    """Distribute each window's gradient equally to its elements."""
    kernel, padding = _expand_sizes(kernel, 2), _expand_sizes(padding, 2)
    stride = _expand_sizes(stride, 2) if stride else kernel
    channels = gradient.reshape([-1, 1, *gradient.shape[-2:]])
    channels = channels / _window_divisors(
        x, kernel, stride, padding, ceil_mode, count_include_pad, divisor
    )
    reached = [(size - 1) * s + k for size, s, k in zip(channels.shape[2:], stride, kernel, strict=True)]
    missing = [
        max(size + 2 * p - r, 0) for size, p, r in zip(x.shape[-2:], padding, reached, strict=True)
    ]  # elements at the end that no window covers
    window = torch.ones([1, 1, *kernel], dtype=x.dtype)
    parts = _ATEN.convolution.default(channels, window, None, stride, [0, 0], [1, 1], True, [0, 0], 1)
    parts = _ATEN.constant_pad_nd.default(parts, [0, missing[1], 0, missing[0]])
    for dim, (size, before) in enumerate(zip(x.shape[-2:], padding, strict=True), 2):
        parts = parts.narrow(dim, before, size)
    return parts.reshape(x.shape)


def _window_divisors(
    x: Tensor,
    kernel: _Sizes,
    stride: _Sizes,
    padding: _Sizes,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor: int | None,
) -> Tensor:
    """Return the divisor of each window's sum."""
    ones = torch.ones([1, 1, *x.shape[-2:]], dtype=x.dtype)
    if divisor is not None or not count_include_pad:
        counts = _ATEN.avg_pool2d.default(ones, kernel, stride, padding, ceil_mode, False, 1)
        return counts if divisor is None else torch.full_like(counts, divisor)
    # The mean over ones is (elements inside the image) / divisor; solve for the divisor.
    inside = _ATEN.avg_pool2d.default(ones, kernel, stride, padding, ceil_mode, False, 1)
    return inside / _ATEN.avg_pool2d.default(ones, kernel, stride, padding, ceil_mode, True)


def _adaptive_average_pool_backward(gradient: Tensor, x: Tensor) -> Tensor:
    """Multiply the gradient by the window matrices of the rows and of the columns."""
    rows, columns = (_window_weights(gradient.shape[dim], x.shape[dim], x.dtype) for dim in (-2, -1))
    return torch.matmul(torch.matmul(rows.t(), gradient), columns)


def _window_weights(windows: Any, size: Any, dtype: torch.dtype) -> Tensor:
    """Return [windows, size]: each element's share of a window's mean."""
    at, place = torch.arange(windows).unsqueeze(1), torch.arange(size)
    first = torch.div(at * size, windows, rounding_mode="floor")
    end = torch.div((at + 1) * size + windows - 1, windows, rounding_mode="floor")
    inside = torch.logical_and(place >= first, place < end)
    return inside.to(dtype) / (end - first)


def _in_dtype_of_gradient(decomposition: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Make `decomposition` return the gradient's dtype, as eager PyTorch does.

    torch's decompositions return `input_dtype`, which eager PyTorch considers only for a float32
    gradient of a float16 input.
    """

    def backward(gradient: Tensor, output: Tensor, dim: int, input_dtype: torch.dtype) -> Tensor:
        is_half_to_float = gradient.dtype == torch.float32 and input_dtype == torch.float16
        dtype = input_dtype if is_half_to_float else gradient.dtype
        return decomposition(gradient, output, dim, dtype)

    return backward


GRADIENTS: Mapping[OpOverload, Callable[..., Any]] = {
    _ATEN._adaptive_avg_pool2d_backward.default: _adaptive_average_pool_backward,
    _ATEN._log_softmax_backward_data.default: _in_dtype_of_gradient(
        decompositions._log_softmax_backward_data
    ),
    _ATEN._softmax_backward_data.default: _in_dtype_of_gradient(decompositions._softmax_backward_data),
    _ATEN.avg_pool2d_backward.default: _average_pool_backward,
    _ATEN.convolution_backward.default: _convolution_backward,
    _ATEN.max_pool2d_with_indices_backward.default: _max_pool_backward,
}


ADVICE = (
    "torch.export does not record torch.func.grad, vjp, jacrev, jacfwd or hessian, and records "
    "torch.autograd.grad only for few functions; write out the derivative, or compute directional "
    "derivatives with torch.func.jvp"
)


def reject_lost_derivatives(program: ExportedProgram) -> None:
    """Raise `ModelError` if the program uses a placeholder constant for a derivative.

    `torch.export` records reverse-mode functions of `torch.func` as constants without data.
    """
    lost = {
        spec.arg.name for spec in program.graph_signature.input_specs if _is_lost(program, spec.target)
    }
    for node in program.graph.nodes:
        if any(operand.name in lost for operand in node.all_input_nodes):
            raise ModelError(f"the model computes a derivative: {ADVICE}", node)


def _is_lost(program: ExportedProgram, target: str | None) -> bool:
    value = program.constants.get(target or "")
    return isinstance(value, torch.Tensor) and torch._C._functorch.is_functorch_wrapped_tensor(value)
