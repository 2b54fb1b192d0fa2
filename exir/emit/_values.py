"""The values of a plan: tensors, scalars and lists, each with an index."""

from typing import Any, TypeAlias

import torch
from torch.fx import Node

from exir import schema
from exir.error import ExportError, ExportErrorType, UnsupportedOperatorError
from exir.tensor import TensorSpec, scalar_type

# The index of a node's value, or the indices of its several values.
Indices: TypeAlias = int | list[int]

_MEMORY_FORMATS = {
    torch.contiguous_format: 0,
    torch.preserve_format: 1,
    torch.channels_last: 2,
    torch.channels_last_3d: 3,
}
_STRIDED_LAYOUT = 0
_NUMBERS: dict[type, int | float | bool] = {
    torch.SymInt: 0,
    int: 0,
    torch.SymFloat: 0.0,
    float: 0.0,
    torch.SymBool: False,
    bool: False,
}


class Values:
    """Values in order of emission. Each occurrence of a scalar is a separate value."""

    def __init__(self) -> None:
        self.values: list[schema.EValue] = []
        self._of_spec: dict[TensorSpec, int] = {}

    def add(self, value: schema.KernelTypes) -> int:
        """Add a value and return its index."""
        self.values.append(schema.EValue(value))
        return len(self.values) - 1

    def add_constant(self, value: Any, node: Node | None = None) -> int:
        """Add a value that holds a Python constant and return its index."""
        return self.add(as_value(value, node))

    def add_number(self, val: Any, node: Node) -> int:
        """Add a scalar that `node` computes and return its index.

        val: the `meta["val"]` of the node.
        """
        if type(val) not in _NUMBERS:
            message = (
                f"a .pte program cannot compute a value of type {type(val).__name__}; return a tensor, "
                "int, float or bool"
            )
            raise ExportError(ExportErrorType.NOT_SUPPORTED, message, node)
        return self.add_constant(_NUMBERS[type(val)])

    def add_stored(self, spec: TensorSpec, data_buffer_idx: int, name: str | None = None) -> int:
        """Add a tensor whose data is stored in the program and return its index."""
        self._of_spec[spec] = self.add(_schema_tensor(spec, data_buffer_idx, name))
        return self._of_spec[spec]

    def add_external(self, spec: TensorSpec, key: str) -> int:
        """Add a tensor whose data an external file stores under `key`; return its index."""
        tensor = _schema_tensor(spec, 0)
        tensor.extra_tensor_info = schema.ExtraTensorInfo(
            fully_qualified_name=key, location=schema.TensorDataLocation.EXTERNAL
        )
        self._of_spec[spec] = self.add(tensor)
        return self._of_spec[spec]

    def tensor(self, spec: TensorSpec) -> int:
        """Return the index of the single value for `spec`."""
        if spec not in self._of_spec:
            self._of_spec[spec] = self.add(_schema_tensor(spec, self._data_index(spec)))
        return self._of_spec[spec]

    def _data_index(self, spec: TensorSpec) -> int:
        """Return the data buffer of a view of a constant, and 0 for other tensors."""
        if not spec.const:
            return 0
        constant = self.values[self._of_spec[spec.storage]].val
        assert isinstance(constant, schema.Tensor)
        return constant.data_buffer_idx

    def tensors(self, spec: TensorSpec | list[TensorSpec]) -> Indices:
        """Return the index of the value for a spec, or a list for a list of specs."""
        if isinstance(spec, TensorSpec):
            return self.tensor(spec)
        return [self.tensor(item) for item in spec]


def as_value(value: Any, node: Node | None = None) -> schema.KernelTypes:
    """Convert a Python constant to a value.

    Dtypes, layouts and memory formats become integers. Raises `UnsupportedOperatorError` if the
    format has no value for the type.
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
        f"a .pte program cannot store {value!r} of type {type(value).__name__}", node
    )


def _schema_tensor(spec: TensorSpec, data_buffer_idx: int, name: str | None = None) -> schema.Tensor:
    """Return the tensor for `spec`; `name` is the qualified name of a mutable buffer."""
    return schema.Tensor(
        scalar_type=scalar_type(spec.dtype),
        sizes=list(spec.shape),
        dim_order=list(spec.dim_order),
        requires_grad=spec.requires_grad,
        data_buffer_idx=data_buffer_idx,
        allocation_info=_allocation_details(spec.storage),
        shape_dynamism=spec.shape_dynamism,
        extra_tensor_info=schema.ExtraTensorInfo(fully_qualified_name=name) if name else None,
    )


def _allocation_details(storage: TensorSpec) -> schema.AllocationDetails | None:
    if storage.mem_id is None or storage.mem_offset is None:
        return None
    low, high = storage.mem_offset & 0xFFFFFFFF, storage.mem_offset >> 32
    return schema.AllocationDetails(storage.mem_id, low, high)
