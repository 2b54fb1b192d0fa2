"""Data that the methods of one program share, deduplicated by content."""

import hashlib
from dataclasses import dataclass, field
from typing import Any

import torch

from exir.emit._external import ExternalFiles
from exir.schema import BackendDelegateInlineData, Buffer
from exir.tensor import TensorSpec
from exir.weights.tensor_bytes import bytes_in_order


@dataclass
class BufferPool:
    """Buffers that tensors of all methods refer to by index; index 0 is reserved."""

    buffers: list[Buffer] = field(default_factory=lambda: [Buffer()])
    _index_of: dict[bytes, int] = field(default_factory=dict)

    def add(self, data: memoryview) -> int:
        """Return the index of a buffer with the content of `data`.

        The pool keeps a reference to `data` and does not copy it.
        """
        digest = hashlib.sha256(data).digest()
        if digest not in self._index_of:
            self._index_of[digest] = len(self.buffers)
            self.buffers.append(Buffer(data))
        return self._index_of[digest]


@dataclass
class SharedData:
    """Constants, initial states, delegate payloads, and data of external files."""

    constants: BufferPool = field(default_factory=BufferPool)
    states: BufferPool = field(default_factory=BufferPool)
    delegates: list[BackendDelegateInlineData] = field(default_factory=list)
    external: ExternalFiles = field(default_factory=ExternalFiles)
    _index_of_delegate: dict[bytes, int] = field(default_factory=dict)

    def add_delegate(self, data: bytes) -> int:
        """Return the index of a delegate's payload.

        Equal payloads share an index, even if their compile specs differ.
        """
        index = self._index_of_delegate.setdefault(data, len(self.delegates))
        if index == len(self.delegates):
            self.delegates.append(BackendDelegateInlineData(data))
        return index


def bytes_of(tensor: torch.Tensor, spec: TensorSpec) -> memoryview:
    """Return the elements of `tensor` in the dim order of `spec`.

    The result is the tensor's own memory if the tensor already has that order.
    """
    elements: Any = bytes_in_order(tensor, spec.dim_order).numpy()
    return memoryview(elements).cast("B")
