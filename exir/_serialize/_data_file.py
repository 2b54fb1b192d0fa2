"""Write and read `.ptd` files, which store named tensors."""

import hashlib
import math
import struct
from collections.abc import Iterable
from dataclasses import dataclass

from exir._serialize._flat_tensor import FlatTensor, NamedData, TensorLayout
from exir._serialize._flatbuffer_reader import read_root
from exir._serialize._segments import Segments, SerializedProgram, align_up, order_of_key, write_root
from exir.base_error import InvalidProgramError

CONTENT_KEY_PREFIX = "sha256:"
"""Prefix of keys that contain a hash of the data (`content_key`)."""

_IDENTIFIER = b"FT01"
_HEADER_MAGIC = b"FH01"
_HEADER_AT = 8
_HEADER = struct.Struct("<4sIQQQQ")
_FLATBUFFER_ALIGNMENT = 16
_SEGMENT_ALIGNMENT = 128


@dataclass(frozen=True)
class ExternalData:
    """An entry of a `.ptd` file: a tensor, or plain bytes if it has no layout."""

    key: str
    data: bytes | memoryview
    layout: TensorLayout | None = None
    alignment: int = 1


def content_key(data: bytes | memoryview, layout: TensorLayout) -> str:
    """Return a key for a tensor's content.

    It is the SHA-256 of the dtype, rank, sizes, dim order and bytes.
    """
    rank = len(layout.sizes)
    head = struct.pack(f"<BB{rank}i{rank}B", layout.scalar_type, rank, *layout.sizes, *layout.dim_order)
    digest = hashlib.sha256(head)
    digest.update(data)
    return CONTENT_KEY_PREFIX + digest.hexdigest()


def serialize_ptd(
    entries: Iterable[ExternalData], segment_alignment: int = _SEGMENT_ALIGNMENT
) -> SerializedProgram:
    """Return the `.ptd` file of `entries`, whose keys must be distinct.

    Equal bytes share a segment. Keys are sorted.
    """
    ordered = sorted(entries, key=lambda entry: order_of_key(entry.key))
    segments = Segments(segment_alignment)
    named_data = [
        NamedData(e.key, index, e.layout)
        for e, index in zip(ordered, _assign_segments(ordered, segments))
    ]
    flatbuffer = write_root(FlatTensor(0, segments.table, named_data), _IDENTIFIER)
    return _insert_header(flatbuffer, segments)


def _assign_segments(entries: list[ExternalData], segments: Segments) -> list[int]:
    """Return the segment index of each entry.

    A shared segment has the least common multiple of its entries' alignments.
    """
    digests = [hashlib.sha256(entry.data).digest() for entry in entries]
    alignments: dict[bytes, int] = {}
    for digest, entry in zip(digests, entries):
        alignments[digest] = math.lcm(alignments.get(digest, 1), entry.alignment)
    indices: dict[bytes, int] = {}
    for digest, entry in zip(digests, entries):
        if digest not in indices:
            indices[digest] = segments.add([entry.data], alignments[digest])
    return [indices[digest] for digest in digests]


def _insert_header(flatbuffer: bytes, segments: Segments) -> SerializedProgram:
    """Insert the header after the file identifier, which shifts the root table."""
    padded = align_up(_HEADER.size, _FLATBUFFER_ALIGNMENT)
    at = _HEADER_AT + _HEADER.size
    root = struct.unpack_from("<I", flatbuffer)[0] + padded
    end = len(flatbuffer) + padded
    base = align_up(end, segments.base_alignment)
    header = _HEADER.pack(_HEADER_MAGIC, _HEADER.size, at, end - at, base, segments.size)
    head = struct.pack("<I", root) + _IDENTIFIER + header + bytes(padded - _HEADER.size)
    return SerializedProgram((head, flatbuffer[_HEADER_AT:], bytes(base - end), *segments.pieces))


def deserialize_ptd(file: bytes) -> list[ExternalData]:
    """Return the entries of a `.ptd` file; their data are views of `file`.

    Raises an `InvalidProgramError` that describes the problem.
    """
    data = memoryview(file)
    if (
        bytes(data[4:_HEADER_AT]) != _IDENTIFIER
        or bytes(data[_HEADER_AT : _HEADER_AT + 4]) != _HEADER_MAGIC
    ):
        raise InvalidProgramError(
            f"file identifier: not {_IDENTIFIER!r} with header {_HEADER_MAGIC!r}; pass a .ptd file"
        )
    if len(data) < _HEADER_AT + _HEADER.size:
        raise InvalidProgramError(f"header: the file has {len(data)} bytes, too few for a header")
    _, _, at, size, base, area = _HEADER.unpack_from(data, _HEADER_AT)
    if at + size > len(data) or base + area > len(data):
        raise InvalidProgramError(
            f"header: tables end at {at + size} and segments at {base + area}, but the file has "
            f"{len(data)} bytes"
        )
    root: FlatTensor = read_root(FlatTensor, data[: at + size])
    return [
        _read_entry(item, root, data[base : base + area], i) for i, item in enumerate(root.named_data)
    ]


def _read_entry(item: NamedData, root: FlatTensor, area: memoryview, index: int) -> ExternalData:
    if item.key is None or item.segment_index >= len(root.segments):
        raise InvalidProgramError(
            f"named_data[{index}]: the key or segment {item.segment_index} is missing"
        )
    segment = root.segments[item.segment_index]
    if segment.offset + segment.size > len(area):
        raise InvalidProgramError(
            f"segments[{item.segment_index}]: its end exceeds the {len(area)} bytes of all segments"
        )
    return ExternalData(
        item.key, area[segment.offset : segment.offset + segment.size], item.tensor_layout
    )
