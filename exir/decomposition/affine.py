"""Lowers torchao's affine quantization operators to `quantized_decomposed`.

Each block of a tensor, of shape `block_size`, has one scale and one zero point. Kernels exist for blocks
that are rows, groups of a matrix's rows, channels or the whole tensor. Other blocks, and symmetrically
chosen parameters, are lowered to arithmetic.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload

_LIMITS = {
    torch.int8: (-128, 127),
    torch.uint8: (0, 255),
    torch.int16: (-(2**15), 2**15 - 1),
    torch.int32: (-(2**31), 2**31 - 1),
}


def affine_decompositions() -> Mapping[OpOverload, Callable[..., Any]]:
    """Return the decompositions of the registered torchao operators."""
    runs: dict[str, Callable[..., Any]] = {
        "choose_qparams_affine": _choose_params,
        "dequantize_affine": _dequantize_affine,
        "quantize_affine": _quantize_affine,
    }
    known = {name: run for name, run in runs.items() if _is_defined(name)}
    return {getattr(torch.ops.torchao, name).default: run for name, run in known.items()}


def _is_defined(name: str) -> bool:
    return bool(torch._C._jit_get_schemas_for_operator(f"torchao::{name}"))


def _import_operators() -> Any:
    """Import the torch module that registers the operators; the import is slow."""
    import torch.ao.quantization.fx._decomposed

    return torch.ops.quantized_decomposed


def _quantize_affine(
    x: Tensor,
    block: Sequence[int],
    scale: Tensor,
    zero_point: Tensor | None,
    dtype: torch.dtype,
    low: int | None = None,
    high: int | None = None,
) -> Tensor:
    limits = _quant_range(dtype, low, high)
    if dtype not in _LIMITS or None in limits:
        return NotImplemented
    parameters = _BlockParams(x, block, scale, zero_point)
    operators = _import_operators()
    if parameters.are_of_rows:
        return operators.quantize_per_token(x, *parameters.of_rows(), *limits, dtype)
    if parameters.are_of_groups:
        return operators.quantize_per_channel_group(x, *parameters.of_groups(), *limits, dtype, block[1])
    if parameters.axis is not None:
        return operators.quantize_per_channel(
            x, *parameters.of_channels(), parameters.axis, *limits, dtype
        )
    blocks, scales, points = parameters.in_blocks()
    codes = torch.round(blocks * (1.0 / scales)) + points
    return codes.clamp(*limits).to(dtype).reshape(x.shape)


def _dequantize_affine(
    x: Tensor,
    block: Sequence[int],
    scale: Tensor,
    zero_point: Tensor | None,
    dtype: torch.dtype,
    low: int | None = None,
    high: int | None = None,
    output_dtype: torch.dtype = torch.float32,
) -> Tensor:
    limits = _quant_range(dtype, low, high)
    if x.dtype not in _LIMITS or None in limits:
        return NotImplemented
    parameters = _BlockParams(x, block, scale, zero_point)
    operators = _import_operators()
    if parameters.are_of_rows:
        return operators.dequantize_per_token(x, *parameters.of_rows(), *limits, x.dtype, output_dtype)
    if parameters.are_of_groups:
        return operators.dequantize_per_channel_group(
            x, *parameters.of_groups(), *limits, x.dtype, block[1], output_dtype
        )
    if parameters.axis is not None:
        return operators.dequantize_per_channel(
            x, *parameters.of_channels(), parameters.axis, *limits, x.dtype, out_dtype=output_dtype
        )
    blocks, scales, points = parameters.in_blocks()
    steps = blocks.to(torch.int32) - points
    return (steps.to(output_dtype) * scales).reshape(x.shape).to(output_dtype)


def _choose_params(
    x: Tensor,
    mapping: str,
    block: Sequence[int],
    dtype: torch.dtype,
    low: int | None = None,
    high: int | None = None,
    eps: float | None = None,
    scale_dtype: torch.dtype | None = None,
    zero_point_dtype: torch.dtype | None = torch.int32,
    keepdim: bool = False,
) -> tuple[Tensor, Tensor]:
    limits = _quant_range(dtype, low, high)
    if mapping not in ("SYMMETRIC", "ASYMMETRIC") or None in limits:
        return NotImplemented
    dtypes = scale_dtype or x.dtype, zero_point_dtype or torch.int32
    if mapping == "ASYMMETRIC" and limits == _LIMITS[torch.int8] and _has_row_blocks(x, block):
        scale, point = _import_operators().choose_qparams_per_token_asymmetric(x, torch.int8)
        if not keepdim:
            scale, point = (param.reshape(x.shape[:-1]) for param in (scale, point))
    else:
        scale, point = _params_of_range(
            x, mapping, block, limits, eps or torch.finfo(x.dtype).eps, keepdim
        )
    return scale.to(dtypes[0]), point.to(dtypes[1])


def _params_of_range(
    x: Tensor, mapping: str, block: Sequence[int], limits: tuple[int, int], eps: float, keepdim: bool
) -> tuple[Tensor, Tensor]:
    shape, dims = _split_blocks(x, block, keepdim)
    low = x.reshape(shape).amin(dims, keepdim=keepdim).clamp(max=0.0)
    high = x.reshape(shape).amax(dims, keepdim=keepdim).clamp(min=0.0)
    steps = limits[1] - limits[0]
    if mapping == "SYMMETRIC":
        scale = (torch.maximum(-low, high) / (steps / 2)).clamp(min=eps)
        return scale, torch.full_like(scale, (limits[0] + limits[1] + 1) // 2)
    scale = ((high - low) / steps).clamp(min=eps)
    return scale, (limits[0] - torch.round(low / scale)).clamp(*limits)


def _split_blocks(x: Tensor, block: Sequence[int], keepdim: bool) -> tuple[list[Any], list[int]]:
    """Return the shape that splits blocked dimensions, and the dimensions to reduce."""
    shape: list[Any] = []
    dims = []
    for size, length in zip(x.shape, block, strict=True):
        if length not in (1, size):
            shape.append(size // length)
        if length != 1:
            dims.append(len(shape))
        shape.append(size if length == 1 else length)
    return shape, dims


def _quant_range(dtype: torch.dtype, low: int | None, high: int | None) -> Any:
    usual = _LIMITS.get(dtype, (None, None))
    return (usual[0] if low is None else int(low), usual[1] if high is None else int(high))


def _has_row_blocks(x: Tensor, block: Sequence[int]) -> bool:
    return all(length == 1 for length in block[:-1]) and block[-1] == x.shape[-1]


class _BlockParams:
    """Scales and zero points of a tensor's blocks, in the shapes that operators take."""

    def __init__(
        self, x: Tensor, block: Sequence[int], scale: Tensor, zero_point: Tensor | None
    ) -> None:
        self._x, self._block = x, block
        self._scale, self._zero_point = scale, zero_point
        self.are_of_rows = _has_row_blocks(x, block)
        self.are_of_groups = x.dim() == 2 and block[0] == 1 and block[1] > 1
        self.axis = self._channel_axis()

    def _channel_axis(self) -> int | None:
        several = [d for d, length in enumerate(self._block) if length != self._x.shape[d]]
        return several[0] if len(several) == 1 and self._block[several[0]] == 1 else None

    def of_rows(self) -> tuple[Tensor, Tensor]:
        return self._broadcastable([*self._x.shape[:-1], 1])

    def of_groups(self) -> tuple[Tensor, Tensor]:
        return self._broadcastable([self._x.shape[0], self._x.shape[1] // self._block[1]])

    def of_channels(self) -> tuple[Tensor, Tensor]:
        assert self.axis is not None
        return self._broadcastable([self._x.shape[self.axis]])

    def in_blocks(self) -> tuple[Tensor, Tensor, Tensor]:
        """Return `x` with split dimensions, and parameters that broadcast to it.

        Each dimension becomes two: the blocks, and the elements of a block.
        """
        counts = [size // length for size, length in zip(self._x.shape, self._block, strict=True)]
        shape = [size for pair in zip(counts, self._block, strict=True) for size in pair]
        return (
            self._x.reshape(shape),
            *self._broadcastable([size for count in counts for size in (count, 1)]),
        )

    def _broadcastable(self, shape: list[Any]) -> tuple[Tensor, Tensor]:
        scale = self._scale.reshape(shape)
        if self._zero_point is None:
            return scale, torch.zeros_like(scale, dtype=torch.int32)
        return scale, self._zero_point.reshape(shape).to(torch.int32)
