"""Gradients that programs compute for themselves, made of the operators that they are gradients of."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import SymInt, Tensor
from torch._ops import OpOverload

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
    """Each window's gradient goes to the element that was its largest."""
    planes = x.shape[:-2]
    result = torch.zeros_like(x).reshape([*planes, -1])
    result = result.scatter_add(-1, places.reshape([*planes, -1]), gradient.reshape([*planes, -1]))
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
    """Of the input, the weight and the bias, those that `output_mask` wants."""
    dims = x.dim() - 2
    stride, padding, dilation = (_of_all(each, dims) for each in (stride, padding, dilation))
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


def _of_all(values: _Sizes, dims: int) -> list[int | SymInt]:
    return list(values) if len(values) == dims else [values[0]] * dims


def _cut_off(
    gradient: Tensor, x: Tensor, weight: Tensor, stride: _Sizes, padding: _Sizes, dilation: _Sizes
) -> list[int | SymInt]:
    """Elements at the end of each axis of the input that no window reached."""
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
    """A convolution of the input with the gradient, in which images are channels, and steps and gaps
    change places."""
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


GRADIENTS: Mapping[OpOverload, Callable[..., Any]] = {
    _ATEN.convolution_backward.default: _convolution_backward,
    _ATEN.max_pool2d_with_indices_backward.default: _max_pool_backward,
}
