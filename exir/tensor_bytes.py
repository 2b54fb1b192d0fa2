"""Tensors to and from the bytes of their elements, which lie in a dim order."""

from collections.abc import Sequence
from math import prod

import torch

from exir.error import InvalidProgramError
from exir.tensor import scalar_type

_DTYPES: dict[int, torch.dtype] = {
    scalar_type(dtype): dtype
    for dtype in (
        torch.uint8,
        torch.int8,
        torch.int16,
        torch.int32,
        torch.int64,
        torch.float16,
        torch.float32,
        torch.float64,
        torch.complex64,
        torch.complex128,
        torch.bool,
        torch.bfloat16,
        torch.uint16,
        torch.uint32,
        torch.uint64,
    )
}


def in_dim_order(tensor: torch.Tensor, dim_order: Sequence[int]) -> torch.Tensor:
    """`tensor` with its elements laid out in `dim_order`, slowest dimension first."""
    inverse = sorted(range(len(dim_order)), key=dim_order.__getitem__)
    return tensor.detach().permute(tuple(dim_order)).contiguous().permute(inverse)


def elements_of(tensor: torch.Tensor, dim_order: Sequence[int]) -> bytes:
    """The bytes of the elements of `tensor`, from the slowest dimension to the fastest."""
    elements = tensor.detach().resolve_conj().permute(tuple(dim_order)).contiguous().reshape(-1)
    return elements.view(torch.uint8).numpy().tobytes()


def tensor_of(
    data: bytes | bytearray | memoryview, dtype: int, sizes: Sequence[int], dim_order: Sequence[int]
) -> torch.Tensor:
    """The tensor whose elements `data` is; `dtype` is a number of `ScalarType`. Raises `InvalidProgramError`."""
    known = _DTYPES.get(dtype)
    if known is None or sorted(dim_order) != list(range(len(sizes))) or min(sizes, default=0) < 0:
        raise InvalidProgramError(f"tensor of dtype {dtype}, {tuple(sizes)}, {tuple(dim_order)}")
    if len(data) != prod(sizes) * known.itemsize:
        raise InvalidProgramError(f"{len(data)} bytes for a {known} of sizes {tuple(sizes)}")
    flat = torch.frombuffer(bytearray(data), dtype=known) if data else torch.empty(0, dtype=known)
    inverse = sorted(range(len(dim_order)), key=dim_order.__getitem__)
    return flat.reshape([sizes[dim] for dim in dim_order]).permute(inverse)
