"""Read GGUF files, versions 2 and 3, which may be damaged or malicious.

Layout, all little-endian (ggml's GGUF specification):

    magic "GGUF", uint32 version, uint64 tensor count, uint64 entry count
    entries: string key, uint32 type, value
    tensors: string name, uint32 rank, uint64 dims (fastest first), uint32 type, uint64 offset
    padding to `general.alignment`, then the data; offsets are relative to its start

A string is a uint64 length and UTF-8 bytes; an array is a uint32 type, a uint64 length and its
elements. Lengths, counts and offsets are checked against the file's size before anything is
allocated or read.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

_DEFAULT_ALIGNMENT = 32
_MAX_RANK = 8
_MAX_ARRAY_DEPTH = 4

_BOOL, _STRING, _ARRAY = 7, 8, 9
_SCALARS = {
    0: "<u1",
    1: "<i1",
    2: "<u2",
    3: "<i2",
    4: "<u4",
    5: "<i4",
    6: "<f4",
    7: "<u1",
    10: "<u8",
    11: "<i8",
    12: "<f8",
}
# The minimum size of an array element, in bytes.
_LEAST_BYTES = {kind: np.dtype(code).itemsize for kind, code in _SCALARS.items()} | {
    _STRING: 8,
    _ARRAY: 12,
}

# Name, elements and bytes of a block, by the type's number in files (`enum ggml_type`).
_TYPES: dict[int, tuple[str, int, int]] = {
    0: ("F32", 1, 4),
    1: ("F16", 1, 2),
    2: ("Q4_0", 32, 18),
    3: ("Q4_1", 32, 20),
    6: ("Q5_0", 32, 22),
    7: ("Q5_1", 32, 24),
    8: ("Q8_0", 32, 34),
    10: ("Q2_K", 256, 84),
    11: ("Q3_K", 256, 110),
    12: ("Q4_K", 256, 144),
    13: ("Q5_K", 256, 176),
    14: ("Q6_K", 256, 210),
    20: ("IQ4_NL", 32, 18),
    23: ("IQ4_XS", 256, 136),
    24: ("I8", 1, 1),
    25: ("I16", 1, 2),
    26: ("I32", 1, 4),
    27: ("I64", 1, 8),
    28: ("F64", 1, 8),
    30: ("BF16", 1, 2),
    39: ("MXFP4", 32, 17),
}
# Types for which only the name is known.
_UNREAD_TYPES = {
    9: "Q8_1",
    15: "Q8_K",
    16: "IQ2_XXS",
    17: "IQ2_XS",
    18: "IQ3_XXS",
    19: "IQ1_S",
    21: "IQ3_S",
    22: "IQ2_S",
    29: "IQ1_M",
    34: "TQ1_0",
    35: "TQ2_0",
}


class GgufError(ValueError):
    """The file is not a valid GGUF file, or a tensor in it cannot be read."""


@dataclass(frozen=True)
class GgufTensor:
    """A tensor record.

    kind: ggml's type name.
    shape: sizes in PyTorch's order, the fastest dimension last.
    """

    name: str
    kind: str
    shape: tuple[int, ...]
    _type: int
    _start: int
    _file: np.ndarray[Any, np.dtype[np.uint8]]

    def blocks(self) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """Return the stored bytes, [blocks, bytes per block], as a view of the file.

        Raises `GgufError`.
        """
        if self._type not in _TYPES:
            raise GgufError(f"tensor '{self.name}' has the unsupported type {self.kind}")
        _, elements, size = _TYPES[self._type]
        row = self.shape[-1] if self.shape else 1
        if row % elements:
            raise GgufError(
                f"tensor '{self.name}': row length {row} is not a multiple of the {self.kind} block size {elements}"
            )
        count = 1
        for dim in self.shape:
            count *= dim
        length = count // elements * size
        if self._start > len(self._file) or length > len(self._file) - self._start:
            raise GgufError(
                f"tensor '{self.name}': {length} bytes at offset {self._start} exceed the file of "
                f"{len(self._file)} bytes"
            )
        return self._file[self._start : self._start + length].reshape(-1, size)


@dataclass(frozen=True)
class GgufFile:
    """The metadata entries and the tensor records of a file, both by name."""

    metadata: dict[str, Any]
    tensors: dict[str, GgufTensor]


def read_gguf_file(path: Path, key_filter: Callable[[str], bool] = lambda key: True) -> GgufFile:
    """Read the file at `path`. Raises `GgufError` or `OSError`.

    key_filter: a filter on the keys of metadata entries to return.
    """
    with path.open("rb") as file:
        if path.stat().st_size == 0:
            raise GgufError("the file is empty")
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    cursor = _GgufCursor(mapped)
    tensor_count, entry_count = _read_header(cursor)
    metadata, alignment = _read_metadata(cursor, entry_count, key_filter)
    return GgufFile(metadata, _read_tensors(cursor, tensor_count, alignment))


class _GgufCursor:
    """A position in the file. Every read is checked against the file's end."""

    def __init__(self, data: mmap.mmap) -> None:
        self.data = data
        self.at = 0

    def take(self, size: int, element: str) -> bytes:
        if size > len(self.data) - self.at:
            raise GgufError(
                f"{element} needs {size} bytes at offset {self.at}, but the file ends at "
                f"{len(self.data)}"
            )
        self.at += size
        return self.data[self.at - size : self.at]

    def number(self, layout: str, element: str) -> int:
        return int(struct.unpack(layout, self.take(struct.calcsize(layout), element))[0])

    def string(self, element: str) -> str:
        start = self.at
        try:
            return self.take(self.number("<Q", element), element).decode()
        except UnicodeDecodeError as error:
            raise GgufError(f"{element} at offset {start} is not UTF-8") from error

    def count(self, least_bytes: int, element: str) -> int:
        """Read a count of elements of at least `least_bytes` each.

        Raises `GgufError` if the rest of the file is too small for them.
        """
        count = self.number("<Q", element)
        if count > (len(self.data) - self.at) // least_bytes:
            raise GgufError(
                f"{element} is {count}, but a file of {len(self.data)} bytes cannot contain that many"
            )
        return count


def _read_header(cursor: _GgufCursor) -> tuple[int, int]:
    """Return the numbers of tensors and of metadata entries."""
    if cursor.take(4, "the magic number") != b"GGUF":
        raise GgufError("the file does not start with 'GGUF'")
    version = cursor.number("<I", "the version")
    if version not in (2, 3):
        order = "; the file is big-endian, convert it to little-endian" if version & 0xFFFF == 0 else ""
        raise GgufError(f"unsupported version {version}; supported: 2 and 3{order}")
    return cursor.count(24, "the tensor count"), cursor.count(13, "the metadata entry count")


def _read_metadata(
    cursor: _GgufCursor, count: int, key_filter: Callable[[str], bool]
) -> tuple[dict[str, Any], int]:
    """Return the requested entries, and the alignment of the tensors' data."""
    metadata: dict[str, Any] = {}
    seen: set[str] = set()
    alignment: object = _DEFAULT_ALIGNMENT
    for index in range(count):
        key = cursor.string(f"the key of metadata entry {index}")
        if key in seen:
            raise GgufError(f"duplicate metadata entry '{key}'")
        seen.add(key)
        value = _read_value(cursor, cursor.number("<I", f"the type of '{key}'"), f"'{key}'", 0)
        if key == "general.alignment":
            alignment = value
        if key_filter(key):
            metadata[key] = value
    if not isinstance(alignment, int) or alignment <= 0 or alignment & (alignment - 1):
        raise GgufError(f"'general.alignment' is {alignment!r}, not a power of two")
    return metadata, alignment


def _read_value(cursor: _GgufCursor, kind: int, element: str, depth: int) -> Any:
    if kind == _STRING:
        return cursor.string(element)
    if kind in _SCALARS:
        return _read_scalars(cursor, kind, 1, element)[0]
    if kind != _ARRAY:
        raise GgufError(f"{element} has the unknown type {kind}")
    if depth == _MAX_ARRAY_DEPTH:
        raise GgufError(f"{element} nests arrays more than {_MAX_ARRAY_DEPTH} levels deep")
    inner = cursor.number("<I", f"the element type of {element}")
    if inner not in _LEAST_BYTES:
        raise GgufError(f"{element} has the unknown element type {inner}")
    count = cursor.count(_LEAST_BYTES[inner], f"the length of {element}")
    if inner in _SCALARS:
        return _read_scalars(cursor, inner, count, element)
    return [_read_value(cursor, inner, element, depth + 1) for _ in range(count)]


def _read_scalars(cursor: _GgufCursor, kind: int, count: int, element: str) -> list[Any]:
    dtype = np.dtype(_SCALARS[kind])
    values = np.frombuffer(cursor.take(count * dtype.itemsize, element), dtype)
    return list((values != 0 if kind == _BOOL else values).tolist())


def _read_tensors(cursor: _GgufCursor, count: int, alignment: int) -> dict[str, GgufTensor]:
    records = []
    for index in range(count):
        name = cursor.string(f"the name of tensor {index}")
        rank = cursor.number("<I", f"the rank of tensor '{name}'")
        if rank > _MAX_RANK:
            raise GgufError(f"tensor '{name}' has {rank} dimensions; at most {_MAX_RANK} are supported")
        dims = struct.unpack(f"<{rank}Q", cursor.take(8 * rank, f"the shape of tensor '{name}'"))
        kind = cursor.number("<I", f"the type of tensor '{name}'")
        offset = cursor.number("<Q", f"the offset of tensor '{name}'")
        if offset % alignment:
            raise GgufError(
                f"tensor '{name}': offset {offset} is not a multiple of the alignment {alignment}"
            )
        records.append((name, kind, tuple(reversed(dims)), offset))
    data = np.frombuffer(cursor.data, np.uint8)
    data_start = -(-cursor.at // alignment) * alignment
    tensors: dict[str, GgufTensor] = {}
    for name, kind, shape, offset in records:
        if name in tensors:
            raise GgufError(f"duplicate tensor '{name}'")
        label = _TYPES[kind][0] if kind in _TYPES else _UNREAD_TYPES.get(kind, f"number {kind}")
        tensors[name] = GgufTensor(name, label, shape, kind, data_start + offset, data)
    return tensors
