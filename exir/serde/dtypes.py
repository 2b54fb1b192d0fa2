"""Dtype numbers in serialized programs."""

import torch

from exir.error import UserError

_DTYPES = (
    *(
        torch.uint8,
        torch.int8,
        torch.int16,
        torch.int32,
        torch.int64,
        torch.float16,
        torch.float32,
        torch.float64,
    ),
    *(torch.complex32, torch.complex64, torch.complex128, torch.bool, torch.bfloat16, torch.uint16),
    *(torch.float8_e5m2, torch.float8_e4m3fn),
)


def dtype_number(dtype: torch.dtype) -> int:
    """Return the serialized code of `dtype`; codes start at 1.

    Raises `UserError` if it has none.
    """
    if dtype not in _DTYPES:
        raise UserError(
            f"serialized programs cannot store tensors of {dtype}; cast them to another dtype"
        )
    return _DTYPES.index(dtype) + 1


def torch_dtype(number: int) -> torch.dtype:
    """Return the dtype of a number. Raises `UserError` for an unknown number."""
    if not 1 <= number <= len(_DTYPES):
        raise UserError(
            f"unknown dtype number {number} in a serialized program; save it with this torch version"
        )
    return _DTYPES[number - 1]
