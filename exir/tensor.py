"""`TensorSpec`: the properties of a tensor that planning and emission need."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import torch
from torch.fx import Node

from exir.error import InternalError, UnsupportedOperatorError
from exir.schema import ScalarType, TensorShapeDynamism

_SCALAR_TYPES = {
    torch.uint8: ScalarType.BYTE,
    torch.int8: ScalarType.CHAR,
    torch.int16: ScalarType.SHORT,
    torch.int32: ScalarType.INT,
    torch.int64: ScalarType.LONG,
    torch.float16: ScalarType.HALF,
    torch.float32: ScalarType.FLOAT,
    torch.float64: ScalarType.DOUBLE,
    torch.complex32: ScalarType.COMPLEX32,
    torch.complex64: ScalarType.COMPLEX64,
    torch.complex128: ScalarType.COMPLEX128,
    torch.bool: ScalarType.BOOL,
    torch.bfloat16: ScalarType.BFLOAT16,
    torch.bits16: ScalarType.BITS16,
    torch.float8_e5m2: ScalarType.FLOAT8E5M2,
    torch.float8_e4m3fn: ScalarType.FLOAT8E4M3FN,
    torch.float8_e5m2fnuz: ScalarType.FLOAT8E5M2FNUZ,
    torch.float8_e4m3fnuz: ScalarType.FLOAT8E4M3FNUZ,
    torch.uint16: ScalarType.UINT16,
    torch.uint32: ScalarType.UINT32,
    torch.uint64: ScalarType.UINT64,
}


def scalar_type(dtype: torch.dtype) -> ScalarType:
    """Return the code of a dtype in program files.

    Raises `UnsupportedOperatorError` if the dtype has no code.
    """
    if dtype not in _SCALAR_TYPES:
        raise UnsupportedOperatorError(
            f"a .pte program cannot store tensors of {dtype}; cast them to another dtype"
        )
    return _SCALAR_TYPES[dtype]


def dtype_of(number: ScalarType) -> torch.dtype:
    """Return the dtype of a code.

    Raises `UnsupportedOperatorError` if the code is unknown.
    """
    for dtype, code in _SCALAR_TYPES.items():
        if code == number:
            return dtype
    raise UnsupportedOperatorError(
        f"scalar type {number} is not a torch dtype; export the program again"
    )


@dataclass(eq=False)
class TensorSpec:
    """The type of a tensor and, once planned, its place in memory.

    Specs are compared by identity.

    dtype: type of the elements.
    shape: sizes; upper bounds if `shape_dynamism` is DYNAMIC_BOUND.
    dim_order: dimensions from outermost to innermost in memory.
    const: whether its data is in the file.
    state: whether it is a mutable buffer, whose data persists between calls.
    base: the spec of the tensor that this one is a view of; None if it has its own memory.
    mem_id, mem_offset: planned buffer (from 1) and offset in bytes, for specs without a base.
    mem_obj_id: index of the shared slot, for planners that use slots.
    """

    dtype: torch.dtype
    shape: tuple[int, ...]
    dim_order: tuple[int, ...]
    shape_dynamism: TensorShapeDynamism = TensorShapeDynamism.STATIC
    const: bool = False
    state: bool = False
    requires_grad: bool = False
    base: "TensorSpec | None" = None
    mem_id: int | None = None
    mem_offset: int | None = None
    mem_obj_id: int | None = None

    @classmethod
    def from_tensor(cls, tensor: torch.Tensor) -> "TensorSpec":
        """Return the spec of a tensor with constant sizes."""
        shape = tuple(tensor.shape)
        order = dim_order_of_strides(shape, tuple(tensor.stride()))
        return cls(tensor.dtype, shape, order, requires_grad=tensor.requires_grad)

    def nbytes(self) -> int:
        """Return the size in bytes; dynamic sizes count as their upper bounds."""
        return prod(self.shape) * self.dtype.itemsize

    @property
    def is_static(self) -> bool:
        """Return whether the sizes are exact."""
        return self.shape_dynamism == TensorShapeDynamism.STATIC

    @property
    def is_contiguous(self) -> bool:
        """Return whether the dim order is contiguous."""
        return self.dim_order == tuple(range(len(self.shape)))

    @property
    def storage(self) -> "TensorSpec":
        """The spec that owns the memory: this spec, or the base of its views."""
        spec = self
        while spec.base is not None:
            spec = spec.base
        return spec


def dim_order_of_strides(shape: Sequence[int], strides: Sequence[int]) -> tuple[int, ...]:
    """Return the dim order of strides; prefers contiguous if sizes of 1 allow several."""
    rank = len(shape)
    orders = [tuple(range(rank))]
    if rank in (4, 5):
        orders.append((0, *range(2, rank), 1))
    for order in orders:
        if _runs_in(order, shape, strides):
            return order
    by_stride = tuple(sorted(range(rank), key=lambda dim: -strides[dim]))
    return by_stride if _runs_in(by_stride, shape, strides) else orders[0]


def _runs_in(order: Sequence[int], shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Return whether the elements are dense with dimensions in `order`."""
    expected = 1
    for dim in reversed(order):
        if shape[dim] != 1 and strides[dim] != expected:
            return prod(shape) == 0
        expected *= shape[dim]
    return True


def specs_of(node: Node) -> list[TensorSpec]:
    """Return every tensor spec of the value of `node`, in order."""
    return list(_flat_specs(node.meta.get("spec")))


def spec_of(node: Node) -> TensorSpec:
    """Return the spec of a node whose value is one tensor."""
    spec = node.meta.get("spec")
    if not isinstance(spec, TensorSpec):
        raise InternalError(f"expected one tensor spec, found {spec!r}", node)
    return spec


def _flat_specs(spec: Any) -> Iterator[TensorSpec]:
    if isinstance(spec, TensorSpec):
        yield spec
    elif isinstance(spec, (list, tuple)):
        for item in spec:
            yield from _flat_specs(item)
