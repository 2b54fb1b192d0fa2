"""Convert tensors to and from bytes in a dim order."""

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
    """Return `tensor` with PyTorch's lazy conjugation and negation resolved."""
    return tensor.detach().resolve_conj().resolve_neg()


def bytes_in_order(tensor: torch.Tensor, dim_order: Sequence[int]) -> torch.Tensor:
    """Return the bytes of `tensor` in `dim_order`, slowest dimension first, as uint8.

    The result shares the tensor's memory if it already has that order.
    """
    in_order = resolved(tensor).cpu().permute(tuple(dim_order)).contiguous()
    # A single element can have any stride, but a view as bytes needs stride 1.
    return in_order.as_strided((in_order.numel(),), (1,)).view(torch.uint8)


def in_dim_order(tensor: torch.Tensor, dim_order: Sequence[int]) -> torch.Tensor:
    """Return `tensor` stored in `dim_order`, slowest dimension first."""
    inverse = sorted(range(len(dim_order)), key=dim_order.__getitem__)
    return resolved(tensor).permute(tuple(dim_order)).contiguous().permute(inverse)


def elements_of(tensor: torch.Tensor, dim_order: Sequence[int]) -> bytes:
    """Return the bytes of `tensor` in `dim_order`, slowest dimension first."""
    return bytes_in_order(tensor, dim_order).numpy().tobytes()


def tensor_of(
    data: bytes | bytearray | memoryview, dtype: int, sizes: Sequence[int], dim_order: Sequence[int]
) -> torch.Tensor:
    """Return the tensor of the bytes `data`. Raises `InvalidProgramError`.

    dtype: a value of `ScalarType`.
    """
    known = _DTYPES.get(dtype)
    if known is None or sorted(dim_order) != list(range(len(sizes))) or min(sizes, default=0) < 0:
        raise InvalidProgramError(
            f"invalid tensor: dtype {dtype}, sizes {tuple(sizes)}, dim order {tuple(dim_order)}"
        )
    if len(data) != prod(sizes) * known.itemsize:
        raise InvalidProgramError(
            f"{len(data)} bytes do not match a {known} tensor of sizes {tuple(sizes)}"
        )
    flat = torch.frombuffer(bytearray(data), dtype=known) if data else torch.empty(0, dtype=known)
    inverse = sorted(range(len(dim_order)), key=dim_order.__getitem__)
    return flat.reshape([sizes[dim] for dim in dim_order]).permute(inverse)
