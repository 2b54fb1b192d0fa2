"""Weights as steps read them: panels of 16 columns, filled up with zeros."""

import torch
from torch import Tensor

WIDTH = 16


def padded(tensor: Tensor, dim: int) -> Tensor:
    """`tensor` with zeros at the end of `dim`, up to a multiple of `WIDTH`."""
    missing = -tensor.shape[dim] % WIDTH
    if not missing:
        return tensor
    shape = [*tensor.shape]
    shape[dim] = missing
    return torch.cat([tensor, tensor.new_zeros(shape)], dim)


def panels(weight: Tensor) -> Tensor:
    """[..., N, K] as [..., ceil(N / 16), K, 16]."""
    full = padded(weight, -2)
    *batch, n, k = full.shape
    return full.reshape(*batch, n // WIDTH, WIDTH, k).transpose(-1, -2).contiguous()


def unpanelled(packed: Tensor, n: int) -> Tensor:
    """What `panels` was given: [..., ceil(N / 16), K, 16] as [..., N, K]."""
    *batch, count, k, width = packed.shape
    return packed.transpose(-1, -2).reshape(*batch, count * width, k)[..., :n, :]


def convolution_panels(weight: Tensor, groups: int) -> Tensor:
    """[N, C / groups, kh, kw] as [groups, ceil(N / groups / 16), kh * kw * C / groups, 16]."""
    n, *_ = weight.shape
    return panels(weight.permute(0, 2, 3, 1).reshape(groups, n // groups, -1))


def group_bias(bias: Tensor, groups: int) -> Tensor:
    """[N] with the N / groups of each group filled up to a multiple of 16."""
    return padded(bias.reshape(groups, -1), 1).flatten()


# G: weights of 3 taps at the six points of F(4, 3).
_WINOGRAD = torch.tensor(
    [
        [1 / 4, 0, 0],
        [-1 / 6, -1 / 6, -1 / 6],
        [-1 / 6, 1 / 6, -1 / 6],
        [1 / 24, 1 / 12, 1 / 6],
        [1 / 24, -1 / 12, 1 / 6],
        [0, 0, 1],
    ],
    dtype=torch.float64,
)


def winograd_panels(weight: Tensor) -> Tensor:
    """[N, C, 3, 3] as [36, ceil(N / 16), C, 16]: at the positions of F(4 x 4, 3 x 3)."""
    transformed = _WINOGRAD @ weight.double() @ _WINOGRAD.t()
    return panels(transformed.to(weight.dtype).flatten(2).permute(2, 0, 1))


def taps(weight: Tensor) -> Tensor:
    """[C, 1, kh, kw] as [ceil(C / 16), kh * kw, 16]."""
    return panels(weight.flatten(1))
