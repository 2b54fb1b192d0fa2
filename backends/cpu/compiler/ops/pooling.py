"""Reference semantics of pooling and of `reduce`."""

from collections.abc import Callable, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from backends.cpu.compiler.ops.convolution import padded
from backends.cpu.compiler.ops.quantization import quantized
from backends.cpu.compiler.ops.reference import evaluate
from backends.cpu.schema.pooling import WHOLE, AdaptivePool, PoolF32, PoolMode, PoolQs8
from backends.cpu.schema.records import Window
from backends.cpu.schema.reduction import Reduce, Reduction

_REDUCTIONS: dict[Reduction, Callable[..., Tensor]] = {
    Reduction.SUM: torch.sum,
    Reduction.MEAN: torch.mean,
    Reduction.MAX: torch.amax,
    Reduction.MIN: torch.amin,
    Reduction.PRODUCT: torch.prod,
    Reduction.ARGMAX: torch.argmax,
    Reduction.ARGMIN: torch.argmin,
}


@evaluate.register
def _pool_f32(spec: PoolF32, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    (x,) = inputs
    if spec.mode is PoolMode.MAX:
        outputs[0].copy_(_maxima(spec, x))
    else:
        outputs[0].copy_(_sums(spec, x) / _divisors(spec, x))


@evaluate.register
def _pool_qs8(spec: PoolQs8, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    x = inputs[0].double() - spec.params.zero_point
    if spec.pool.mode is PoolMode.MAX:
        y = _maxima(spec.pool, x).float() * spec.params.scale
    else:
        y = _sums(spec.pool, x).float() * spec.params.scale / _divisors(spec.pool, x).float()
    outputs[0].copy_(quantized(spec.output_quantization, y))


def _maxima(spec: PoolF32, x: Tensor) -> Tensor:
    image = x.permute(0, 3, 1, 2)
    window = _window(spec, image)
    image = padded(window, image, float("-inf"))
    return F.max_pool2d(image, window.kernel, window.stride, 0, window.dilation).permute(0, 2, 3, 1)


def _sums(spec: PoolF32, x: Tensor) -> Tensor:
    image = x.permute(0, 3, 1, 2)
    window = _window(spec, image)
    sums = F.avg_pool2d(padded(window, image), window.kernel, window.stride, divisor_override=1)
    return sums.permute(0, 2, 3, 1)


def _divisors(spec: PoolF32, x: Tensor) -> Tensor:
    """Return the divisors of averages, in a shape that broadcasts to y."""
    if spec.divisor or spec.count_padding:
        taps = _window(spec, x.permute(0, 3, 1, 2)).taps
        return torch.tensor(float(spec.divisor or taps))
    return _sums(spec, torch.ones_like(x))


def _window(spec: PoolF32, image: Tensor) -> Window:
    """Return the window over `image`, [B, C, H, W]."""
    size = image.shape[2], image.shape[3]
    return Window(size, size) if spec.window == WHOLE else spec.window


@evaluate.register
def _adaptive_pool(
    spec: AdaptivePool, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]
) -> None:
    x, (depth, height, width) = inputs[0].permute(0, 4, 1, 2, 3), outputs[0].shape[1:4]
    size = depth, height, width
    if spec.mode is PoolMode.AVG:
        y = F.adaptive_avg_pool3d(x, size)
    else:
        maxima, indices = F.adaptive_max_pool3d(x, size, return_indices=True)
        y = maxima if spec.mode is PoolMode.MAX else indices
    outputs[0].copy_(y.permute(0, 2, 3, 4, 1))


@evaluate.register
def _reduce(spec: Reduce, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
    outputs[0].copy_(_REDUCTIONS[spec.reduction](inputs[0], 1))
