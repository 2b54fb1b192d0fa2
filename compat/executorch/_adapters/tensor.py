"""Sizes, strides and allocations of tensors, with the interface of `exir.tensor`."""

from collections.abc import Sequence
from functools import cmp_to_key
from math import prod
from typing import Any

import torch
from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode

from exir import schema
from exir.tensor import TensorSpec, scalar_type

ALIGNMENT = 16
_MASK = 0xFFFFFFFF


class AddressSpaceOverflowException(Exception):
    """A size exceeds the 64 bits of the file format."""


def num_bytes_from_shape_and_dtype(shape: Sequence[int], dtype: torch.dtype) -> int:
    """Return the size of a dense tensor in bytes."""
    return prod(shape) * dtype.itemsize


def contiguous_stride_from_shape(shape: Sequence[int]) -> tuple[int, ...]:
    """Return the strides of a contiguous tensor."""
    return tuple(prod(list(shape)[dim + 1 :]) for dim in range(len(shape)))


def stride_from_dim_order(sizes: Sequence[int], dim_order: Sequence[int]) -> list[int]:
    """Return the strides of a dense tensor with a dim order."""
    strides = [0] * len(sizes)
    stride = 1
    for dim in reversed(dim_order):
        strides[dim] = stride
        stride *= sizes[dim]
    return strides


def dim_order_from_stride(stride: Sequence[Any]) -> tuple[int, ...]:
    """Return the dimensions by descending stride.

    Raises RuntimeError for a stride of 0.
    """
    for step in stride:
        torch._check(step != 0, lambda: "0 in strides is not supported for ExecuTorch.")

    def slowest_first(a: int, b: int) -> int:
        return _compare_strides(stride[b], stride[a])

    return tuple(sorted(range(len(stride)), key=cmp_to_key(slowest_first)))


def _compare_strides(a: Any, b: Any) -> int:
    return int(_is_smaller(b, a)) - int(_is_smaller(a, b))


def _is_smaller(a: Any, b: Any) -> bool:
    """Return true if stride `a` is smaller than `b`.

    For symbolic strides: if `a` divides `b` and differs from it.
    """
    try:
        return bool(a < b)
    except GuardOnDataDependentSymNode:
        if _stride_expression(b) % _stride_expression(a) == 0:
            return bool(_stride_expression(a) != _stride_expression(b))
        if _stride_expression(a) % _stride_expression(b) == 0:
            return False
        raise


def _stride_expression(stride: Any) -> Any:
    return stride.node.expr if isinstance(stride, torch.SymInt) else torch.sym_int(stride)


def calculate_aligned_num_bytes(num: int, alignment: int) -> int:
    """Round `num` up to a multiple of `alignment`."""
    return -(-num // alignment) * alignment


def scalar_type_enum(dtype: torch.dtype) -> schema.ScalarType:
    """Return the file format's code of a dtype."""
    return scalar_type(dtype)


def memory_format_enum(memory_format: torch.memory_format) -> int:
    """Return the code of a memory format."""
    return {torch.contiguous_format: 0, torch.preserve_format: 1}[memory_format]


def layout_enum(layout: torch.layout) -> int:
    """Return the file format's code of a layout."""
    if layout is not torch.strided:
        raise AssertionError(f"a .pte program stores only strided tensors, not {layout}")
    return 0


def make_allocation_info(mem_id: int, mem_offset: int) -> schema.AllocationDetails:
    """Return an allocation in planned memory."""
    if mem_offset < 0:
        raise ValueError(f"mem_offset {mem_offset} must not be negative")
    if mem_offset >= 1 << 64:
        raise ValueError(f"mem_offset {mem_offset} does not fit into 64 bits")
    return schema.AllocationDetails(mem_id, mem_offset & _MASK, mem_offset >> 32)


def make_tensor_value(data_buffer_idx: int, allocation_info: Any, spec: TensorSpec) -> schema.Tensor:
    """Return the file format's entry of a tensor."""
    return schema.Tensor(
        scalar_type=scalar_type(spec.dtype),
        sizes=list(spec.shape),
        dim_order=list(spec.dim_order),
        requires_grad=spec.requires_grad,
        data_buffer_idx=data_buffer_idx,
        allocation_info=allocation_info or None,
        shape_dynamism=spec.shape_dynamism,
    )


def check_spec(tensor: torch.Tensor, spec: TensorSpec) -> None:
    """Raise an error unless `spec` describes `tensor`."""
    expected = TensorSpec.from_tensor(tensor)
    for name in ("dtype", "shape", "dim_order"):
        found, actual = getattr(expected, name), getattr(spec, name)
        if found != actual:
            raise AssertionError(f"spec has {name} {actual}, but the tensor has {found}")
