"""Named data that the delegates of a backend share at run time."""

import hashlib
import math
from dataclasses import dataclass, field, replace

from exir._serialize._flat_tensor import TensorLayout
from exir.base_error import ConfigError


@dataclass(frozen=True)
class DataEntry:
    """The data of a key: index in `NamedDataStoreOutput.buffers`, and alignment.

    tensor_layout: the layout, if the data is a tensor.
    """

    buffer_index: int
    alignment: int
    tensor_layout: TensorLayout | None = None


@dataclass(frozen=True)
class NamedDataStoreOutput:
    """The content of a store.

    buffers: the data, without duplicates.
    pte_data: entries stored in the program, by key, in insertion order.
    external_data: entries stored in each external file, by file name.
    """

    buffers: list[bytes | memoryview]
    pte_data: dict[str, DataEntry]
    external_data: dict[str, dict[str, DataEntry]] = field(default_factory=dict)


class NamedDataStore:
    """Collects named data while a backend compiles.

    `PreprocessResult.data_store_output` passes the data on to the program.
    """

    def __init__(self) -> None:
        self._buffers: list[bytes | memoryview] = []
        self._index_of: dict[bytes, int] = {}
        self._entries: dict[str | None, dict[str, DataEntry]] = {None: {}}

    def add_named_data(
        self,
        key: str,
        data: bytes | memoryview,
        alignment: int | None = 1,
        external_tag: str | None = None,
        tensor_layout: TensorLayout | None = None,
    ) -> None:
        """Store `data` under `key`; equal data is stored once.

        A `memoryview` must consist of bytes, and its content must not change until the program is
        written. The data is stored in the program or, with `external_tag`, in the external file of
        that name, which also stores `tensor_layout`. If a key is added again with the same data,
        its alignment becomes the least common multiple of both. Raises `ConfigError` if the key has
        different data or is stored elsewhere, or if the alignment is below 1.
        """
        alignment = _checked_alignment(key, alignment)
        self._check_place(key, external_tag)
        entries = self._entries.setdefault(external_tag, {})
        if key in entries:
            _check_same(key, self._buffers[entries[key].buffer_index], data)
        known = entries.setdefault(key, DataEntry(self._buffer_index(data), alignment, tensor_layout))
        entries[key] = replace(known, alignment=math.lcm(known.alignment, alignment))

    def get_named_data_store_output(self) -> NamedDataStoreOutput:
        """Return the data that was added."""
        external = {tag: dict(entries) for tag, entries in self._entries.items() if tag is not None}
        return NamedDataStoreOutput(list(self._buffers), dict(self._entries[None]), external)

    def merge_named_data_store(self, other: NamedDataStoreOutput) -> None:
        """Add the data of `other`. Raises the errors of `add_named_data`."""
        for tag, entries in [(None, other.pte_data), *other.external_data.items()]:
            for key, entry in entries.items():
                data = other.buffers[entry.buffer_index]
                self.add_named_data(key, data, entry.alignment, tag, entry.tensor_layout)

    def _check_place(self, key: str, tag: str | None) -> None:
        """Reject a key that is already stored elsewhere, because keys are global."""
        other = next(
            (existing for existing, keys in self._entries.items() if key in keys and existing != tag),
            tag,
        )
        if other != tag:
            raise ConfigError(
                f"named data '{key}': cannot be in {_describe_location(tag)}, because it is already in "
                f"{_describe_location(other)}; use another key"
            )

    def _buffer_index(self, data: bytes | memoryview) -> int:
        index = self._index_of.setdefault(hashlib.sha256(data).digest(), len(self._buffers))
        if index == len(self._buffers):
            self._buffers.append(data)
        return index


def _check_same(key: str, known: bytes | memoryview, data: bytes | memoryview) -> None:
    if known != data:
        raise ConfigError(
            f"named data '{key}': {len(data)} bytes differ from the {len(known)} bytes already stored; "
            "use a different key for different data"
        )


def _describe_location(tag: str | None) -> str:
    return "the program" if tag is None else f"file '{tag}'"


def _checked_alignment(key: str, alignment: int | None) -> int:
    alignment = 1 if alignment is None else alignment
    if alignment < 1:
        raise ConfigError(f"named data '{key}': the alignment must be at least 1, got {alignment}")
    return alignment
