"""Named data and data files with the official interface."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import torch

from executorch._adapters.emit import EmitterOutput
from executorch._adapters.serialize import Cord, PTEFile, serialize_pte_binary
from exir import _serialize, schema
from exir._serialize import DataEntry, NamedDataStoreOutput, TensorLayout
from exir.capture import ExecutorchBackendConfig
from exir.error import ConfigError
from exir.tensor import dim_order_of_strides, scalar_type


class NamedDataStore(_serialize.NamedDataStore):
    """`exir._serialize.NamedDataStore` that also accepts tensors."""

    def add_named_data(
        self,
        key: str,
        data: bytes | memoryview | torch.Tensor,
        alignment: int | None = 1,
        external_tag: str | None = None,
        tensor_layout: TensorLayout | None = None,
    ) -> None:
        """Store bytes or a dense tensor under `key`.

        Raises ConfigError if `tensor_layout` differs from the tensor's layout.
        """
        if isinstance(data, torch.Tensor):
            found = layout_of(data)
            if tensor_layout not in (None, found):
                raise ConfigError(
                    f"named data '{key}': 'tensor_layout' is {tensor_layout}, but the tensor's is {found}"
                )
            data, tensor_layout = bytes(_bytes_of(data)), found
        super().add_named_data(key, data, alignment, external_tag, tensor_layout)


def layout_of(tensor: torch.Tensor) -> TensorLayout:
    """Return the layout of a row-major or channels-last tensor, or raise ConfigError."""
    if not (tensor.is_contiguous() or tensor.is_contiguous(memory_format=torch.channels_last)):
        raise ConfigError("a named tensor must be contiguous or channels-last; call .contiguous() first")
    return TensorLayout(
        scalar_type(tensor.dtype), list(tensor.shape), list(dim_order_of_strides(tensor.shape, tensor.stride()))
    )


def _bytes_of(tensor: torch.Tensor) -> Any:
    in_order = tensor.permute(dim_order_of_strides(tensor.shape, tensor.stride())) if tensor.dim() else tensor
    return in_order.reshape(-1).view(torch.uint8).numpy()


@dataclass
class DataPayload:
    """The contents of one data file."""

    buffers: list[bytes | memoryview]
    named_data: dict[str, DataEntry]


class DataSerializer(ABC):
    """A reader and writer of data files."""

    @abstractmethod
    def serialize(self, data: DataPayload) -> Cord:
        """Return the file with `data`."""

    @abstractmethod
    def deserialize(self, blob: Cord) -> DataPayload:
        """Return the contents of a file."""


def serialize_for_executorch(
    emitter_output: EmitterOutput,
    config: ExecutorchBackendConfig,
    data_serializer: DataSerializer,
    named_data_store: NamedDataStoreOutput | None = None,
) -> tuple[Cord, dict[str, Cord]]:
    """Return the program and its data files by name."""
    store = _with_constants(emitter_output, named_data_store)
    in_program = named_data_store if named_data_store is not None and named_data_store.pte_data else None
    program = serialize_pte_binary(
        PTEFile(emitter_output.program, emitter_output.mutable_data, in_program),
        extract_delegate_segments=config.extract_delegate_segments,
        segment_alignment=config.segment_alignment,
        constant_tensor_alignment=config.constant_tensor_alignment,
        delegate_alignment=config.delegate_alignment,
    )
    files = {name: DataPayload(store.buffers, entries) for name, entries in store.external_data.items()}
    return program, {name: data_serializer.serialize(payload) for name, payload in files.items()}


def _with_constants(emitted: EmitterOutput, named_data: NamedDataStoreOutput | None) -> NamedDataStoreOutput:
    """Return the named data of delegates, and the external constants of the program."""
    layouts = _external_layouts(emitted.program)
    store = NamedDataStore()
    for tag, constants in (emitted.external_constant_map or {}).items():
        for name, index in constants.items():
            data = emitted.external_constant_buffer[index]
            store.add_named_data(name, data, external_tag=tag, tensor_layout=layouts[name])
    if named_data is not None:
        store.merge_named_data_store(named_data)
    return store.get_named_data_store_output()


def _external_layouts(program: schema.Program) -> dict[str, TensorLayout]:
    """Return the layouts of external tensors by name."""
    values = (value.val for plan in program.execution_plan for value in plan.values)
    tensors_with_info = ((tensor, tensor.extra_tensor_info) for tensor in values if isinstance(tensor, schema.Tensor))
    return {
        str(info.fully_qualified_name): TensorLayout(tensor.scalar_type, tensor.sizes, tensor.dim_order)
        for tensor, info in tensors_with_info
        if info is not None and info.location is schema.TensorDataLocation.EXTERNAL
    }
