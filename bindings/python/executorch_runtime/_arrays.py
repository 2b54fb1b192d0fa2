"""Convert torch and NumPy tensors to and from the runtime's tensors.

A runtime tensor has an address, a dtype, sizes, and dense elements in a dim order.
"""

from __future__ import annotations

import ctypes
import importlib
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np

from executorch_runtime._native import Tensor

_CODES = {
    "uint8": 0,
    "int8": 1,
    "int16": 2,
    "int32": 3,
    "int64": 4,
    "float16": 5,
    "float32": 6,
    "float64": 7,
    "complex64": 9,
    "complex128": 10,
    "bool": 11,
    "bfloat16": 15,
    "uint16": 27,
    "uint32": 28,
    "uint64": 29,
}
_NAMES = {code: name for name, code in _CODES.items()}
_MAX_SIZE = 2**31 - 1
_BITS_OF_BFLOAT16 = "uint16"  # NumPy does not have bfloat16


class BorrowedArray(NamedTuple):
    """A dense tensor that the runtime reads in place. `owner` keeps its memory alive."""

    owner: Any
    address: int
    dtype: int
    sizes: tuple[int, ...]
    nbytes: int


def is_torch(value: Any) -> bool:
    """Return true for a torch tensor. Does not import torch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def is_tensor(value: Any) -> bool:
    return is_torch(value) or isinstance(value, (np.ndarray, np.generic))


def _plain_torch() -> AbstractContextManager[Any]:
    """Return a context without the caller's torch modes (FakeTensorMode, make_fx)."""
    dispatch = importlib.import_module("torch.utils._python_dispatch")
    is_plain = dispatch._get_current_dispatch_mode() is None
    found: AbstractContextManager[Any] = nullcontext() if is_plain else dispatch._disable_current_modes()
    return found


def _address_of(tensor: Any) -> int:
    """Return the address of a torch tensor's elements.

    Raises TypeError for a tensor without elements in memory, such as a FakeTensor.
    """
    try:
        address: int = tensor.data_ptr()
    except (RuntimeError, TypeError):
        address = 0
    if address == 0 and tensor.numel() != 0:
        kind = type(tensor).__name__
        raise TypeError(f"a {kind} of torch has no elements in memory; pass a dense torch.Tensor")
    return address


def borrow(value: Any, dim_order: Sequence[int], dtype: str = "") -> BorrowedArray:
    """Return the tensor itself if it is dense in `dim_order`, or a dense copy.

    If `dtype` is bfloat16, 16-bit integers are interpreted as its bits. Raises TypeError for an
    unknown dtype and for a layout other than strided.
    """
    code = _code(value.dtype, dtype)
    from_torch = is_torch(value)
    if from_torch:
        _check_has_elements(value)
    sizes = tuple(value.shape)
    order = tuple(dim_order) if len(dim_order) == len(sizes) else _in_turn(len(sizes))
    if from_torch:
        owner = value
        if not _is_contiguous_on_cpu(value, order):
            _address_of(value)
            with _plain_torch():
                owner = _resolved(value).cpu().permute(order).contiguous()
        return BorrowedArray(owner, _address_of(owner), code, sizes, owner.nbytes)
    owner = np.ascontiguousarray(np.transpose(value, order))
    return BorrowedArray(owner, owner.ctypes.data, code, sizes, owner.nbytes)


@cache
def _code(dtype: Any, asked: str) -> int:
    name = str(dtype).removeprefix("torch.")
    name = asked if asked == "bfloat16" and name in ("int16", _BITS_OF_BFLOAT16) else name
    if name not in _CODES:
        raise TypeError(f"programs do not support tensors of dtype {name}; cast the array")
    return _CODES[name]


@cache
def _layout_name(layout: Any) -> str:
    return str(layout).removeprefix("torch.")


@lru_cache(maxsize=64)
def size_array(sizes: tuple[int, ...]) -> ctypes.Array[ctypes.c_int32]:
    """Return sizes as a C array, which is shared and must not be written.

    Raises ValueError for a size of more than 31 bits.
    """
    if any(size > _MAX_SIZE for size in sizes):
        raise ValueError(f"tensor sizes {list(sizes)} exceed the limit of {_MAX_SIZE}; split the tensor")
    return (ctypes.c_int32 * len(sizes))(*sizes)


@cache
def _in_turn(rank: int) -> tuple[int, ...]:
    return tuple(range(rank))


def _check_has_elements(value: Any) -> None:
    layout = _layout_name(value.layout)
    if value.is_meta or value.is_nested or layout != "strided":
        kind = "meta" if value.is_meta else "nested" if value.is_nested else layout
        raise TypeError(f"{kind} torch tensors are not supported; pass a dense tensor")


def _is_contiguous_on_cpu(value: Any, order: tuple[int, ...]) -> bool:
    """Return true if a torch tensor is contiguous in CPU memory, in the default order.

    For this common case, the check is cheaper than creating a permuted view.
    """
    as_stored = not (value.is_conj() or value.is_neg())
    return as_stored and value.is_cpu and value.is_contiguous() and order == _in_turn(len(order))


def _resolved(value: Any) -> Any:
    """Apply conjugation and negation, which PyTorch evaluates lazily."""
    return value.detach().resolve_conj().resolve_neg()


def copied(tensor: Tensor, as_torch: bool) -> Any:
    """Return a copy of a runtime tensor.

    Without torch, bfloat16 is returned as uint16 bits.
    """
    name = _NAMES[tensor.dtype]
    order = tensor.dim_order[: tensor.rank]
    sizes = [tensor.sizes[dim] for dim in order]
    back = [order.index(dim) for dim in range(tensor.rank)]
    if as_torch:
        return _torch_copy(tensor, name, sizes, back)
    found = np.empty(sizes, _BITS_OF_BFLOAT16 if name == "bfloat16" else name)
    ctypes.memmove(found.ctypes.data, tensor.data or found.ctypes.data, found.nbytes)
    return found.transpose(back)


def _torch_copy(tensor: Tensor, name: str, sizes: list[int], back: list[int]) -> Any:
    torch = sys.modules["torch"]
    with _plain_torch():
        found = torch.empty(sizes, dtype=getattr(torch, name), device="cpu")
        ctypes.memmove(_address_of(found), tensor.data or 0, found.nbytes)
        return found.permute(back)
