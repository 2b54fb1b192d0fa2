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


def resolved(tensor: torch.Tensor) -> torch.Tensor:
    """`tensor` with elements that are what they stand for: PyTorch puts off conjugation and changes of sign."""
    return tensor.detach().resolve_conj().resolve_neg()


def bytes_in_order(tensor: torch.Tensor, dim_order: Sequence[int]) -> torch.Tensor:
    """uint8: the elements of `tensor` in `dim_order`, slowest dimension first; its own memory when they lie so."""
    in_order = resolved(tensor).cpu().permute(tuple(dim_order)).contiguous()
    # A single element may have any stride, which a view of its bytes may not.
    return in_order.as_strided((in_order.numel(),), (1,)).view(torch.uint8)


def in_dim_order(tensor: torch.Tensor, dim_order: Sequence[int]) -> torch.Tensor:
    """`tensor` with its elements laid out in `dim_order`, slowest dimension first."""
    inverse = sorted(range(len(dim_order)), key=dim_order.__getitem__)
    return resolved(tensor).permute(tuple(dim_order)).contiguous().permute(inverse)


def elements_of(tensor: torch.Tensor, dim_order: Sequence[int]) -> bytes:
    """The bytes of the elements of `tensor`, from the slowest dimension to the fastest."""
    return bytes_in_order(tensor, dim_order).numpy().tobytes()


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
