"""The values of a plan: tensors, numbers and lists, each with an index."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.fx import Node

from exir import schema
from exir.error import UnsupportedOperatorError
from exir.tensor import TensorSpec, scalar_type

_MEMORY_FORMATS = {
    torch.contiguous_format: 0,
    torch.preserve_format: 1,
    torch.channels_last: 2,
    torch.channels_last_3d: 3,
}
_STRIDED_LAYOUT = 0


@dataclass
class Values:
    """Values in order of emission. Numbers are not shared: one value for each occurrence."""

    values: list[schema.EValue] = field(default_factory=list)
    specs: dict[int, TensorSpec] = field(default_factory=dict)

    def add(self, value: schema.KernelTypes) -> int:
        """The index of a new value."""
        self.values.append(schema.EValue(value))
        return len(self.values) - 1

    def add_tensor(self, spec: TensorSpec, tensor: schema.Tensor) -> int:
        """The index of a new tensor; its spec is kept for reports."""
        index = self.add(tensor)
        self.specs[index] = spec
        return index

    def add_constant(self, value: Any, node: Node | None = None) -> int:
        """The index of a new value that holds a Python constant."""
        return self.add(as_value(value, node))

    def add_int_list(self, items: Sequence[int]) -> int:
        """A list of integers, given as the indices of their values."""
        return self.add(schema.IntList(list(items)))


def as_value(value: Any, node: Node | None = None) -> schema.KernelTypes:
    """A Python constant as a value; dtypes, layouts and memory formats are integers.

    Raises `UnsupportedOperatorError` for a type that the format has no value for.
    """
    match value:
        case None | torch.device():
            return schema.Null()
        case bool():
            return schema.Bool(value)
        case int():
            return schema.Int(value)
        case float():
            return schema.Double(value)
        case str():
            return schema.String(value)
        case torch.dtype():
            return schema.Int(int(scalar_type(value)))
        case torch.memory_format():
            return schema.Int(_MEMORY_FORMATS[value])
        case torch.layout() if value is torch.strided:
            return schema.Int(_STRIDED_LAYOUT)
    raise UnsupportedOperatorError(
        f"a .pte has no value for {value!r} of type {type(value).__name__}", node
    )


def tensor_value(
    spec: TensorSpec, data_buffer_idx: int = 0, name: str | None = None
) -> schema.Tensor:
    """The tensor of `spec`; `name` is the qualified name of a mutable buffer."""
    return schema.Tensor(
        scalar_type=scalar_type(spec.dtype),
        sizes=list(spec.shape),
        dim_order=list(spec.dim_order),
        requires_grad=spec.requires_grad,
        data_buffer_idx=data_buffer_idx,
        allocation_info=_allocation(spec.storage),
        shape_dynamism=spec.shape_dynamism,
        extra_tensor_info=schema.ExtraTensorInfo(fully_qualified_name=name) if name else None,
    )


def _allocation(storage: TensorSpec) -> schema.AllocationDetails | None:
    if storage.mem_id is None or storage.mem_offset is None:
        return None
    low, high = storage.mem_offset & 0xFFFFFFFF, storage.mem_offset >> 32
    return schema.AllocationDetails(storage.mem_id, low, high)
