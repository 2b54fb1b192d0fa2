"""A program and its bytes as a `.pte` file: header, flatbuffer, segments."""

import math
import struct
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import BinaryIO

from exir import schema
from exir._serialize._flatbuffer_reader import read_root
from exir._serialize._flatbuffer_writer import write_root
from exir._serialize._tables import BUFFER_ALIGNMENT
from exir.error import ConfigError, InvalidProgramError

IDENTIFIER = b"ET12"
_HEADER_MAGIC = b"eh00"
_HEADER_AT = 8
_HEADER = struct.Struct("<4sIQQQ")
_LEAST_HEADER = 24
"""Bytes of a header that has no segment data size, as older files have it."""


@dataclass(frozen=True)
class NamedBlob:
    """Bytes that a delegate finds by name at run time."""

    key: str
    data: bytes | memoryview
    alignment: int = 1


@dataclass
class PTEFile:
    """What a `.pte` holds: the program, initial states of mutable buffers, named data.

    In `program`, constants and delegates are inline (`constant_buffer`,
    `backend_delegate_data`); entry 0 of `constant_buffer` and of `mutable_data` is reserved.
    """

    program: schema.Program
    mutable_data: list[schema.Buffer] = field(default_factory=list)
    named_data: list[NamedBlob] = field(default_factory=list)


@dataclass(frozen=True)
class SerializedProgram:
    """The file as a list of pieces, in order; constants are views of the tensors' memory."""

    pieces: tuple[bytes | memoryview, ...]

    def __len__(self) -> int:
        return sum(len(piece) for piece in self.pieces)

    def __bytes__(self) -> bytes:
        return b"".join(self.pieces)

    def write_to_file(self, file: BinaryIO) -> None:
        """Write piece by piece, so that the weights are never held twice."""
        for piece in self.pieces:
            file.write(piece)


class _Segments:
    """The area behind the flatbuffer: segments in order of adding, each aligned."""

    def __init__(self, alignment: int) -> None:
        self._alignment = alignment
        self.table: list[schema.DataSegment] = []
        self.pieces: list[bytes | memoryview] = []
        self.size = 0

    def add(self, pieces: Iterable[bytes | memoryview], alignment: int = 1) -> int:
        """The index of a new segment made of `pieces`."""
        pieces = list(pieces)
        length = sum(len(piece) for piece in pieces)
        start = align_up(self.size, math.lcm(self._alignment, alignment)) if length else 0
        if length:
            self.pieces += [bytes(start - self.size), *pieces]
            self.size = start + length
        self.table.append(schema.DataSegment(start, length))
        return len(self.table) - 1


def align_up(value: int, alignment: int) -> int:
    """The least multiple of `alignment` that is not below `value`."""
    return -(-value // alignment) * alignment


def serialize_pte_binary(
    pte_file: PTEFile,
    *,
    extract_delegate_segments: bool = True,
    segment_alignment: int = 128,
    constant_tensor_alignment: int | None = None,
    delegate_alignment: int | None = None,
) -> SerializedProgram:
    """The file of `pte_file`.

    Alignments are in bytes and powers of two. Constants, and delegates that stay in the
    flatbuffer, are aligned to at least 16. Raises `ConfigError` for another alignment.
    """
    constant_alignment = _alignment("constant_tensor_alignment", constant_tensor_alignment)
    inline_alignment = _alignment("delegate_alignment", delegate_alignment)
    segments = _Segments(_alignment("segment_alignment", segment_alignment, least=1))
    program = _with_constants_in_segment(pte_file.program, segments, constant_alignment)
    program = _with_mutable_segment(program, pte_file.mutable_data, segments)
    if extract_delegate_segments:
        program = _with_delegates_in_segments(program, segments, delegate_alignment or 1)
    program = _with_named_data(program, pte_file.named_data, segments)
    program = replace(program, segments=segments.table)
    flatbuffer = write_root(program, IDENTIFIER, inline_alignment)
    return _assemble(flatbuffer, segments, max(constant_alignment, inline_alignment), segment_alignment)


def _alignment(name: str, value: int | None, least: int = BUFFER_ALIGNMENT) -> int:
    value = least if value is None else value
    if value < 1 or value & (value - 1):
        raise ConfigError(f"'{name}' must be a power of two, got {value}")
    return max(value, least)


def _packed(
    buffers: list[schema.Buffer], alignment: int
) -> tuple[list[int], list[bytes | memoryview]]:
    """Offsets of `buffers` in one segment, each aligned, and the bytes of that segment."""
    offsets: list[int] = []
    pieces: list[bytes | memoryview] = []
    size = 0
    for buffer in buffers:
        start = align_up(size, alignment) if len(buffer.storage) else size
        offsets.append(start)
        if len(buffer.storage):
            pieces += [bytes(start - size), buffer.storage]
            size = start + len(buffer.storage)
    return offsets, pieces


def _with_constants_in_segment(
    program: schema.Program, segments: _Segments, alignment: int
) -> schema.Program:
    offsets, pieces = _packed(program.constant_buffer or [schema.Buffer()], alignment)
    constants = schema.SubsegmentOffsets(segments.add(pieces), offsets)
    return replace(program, constant_buffer=[], constant_segment=constants)


def _with_mutable_segment(
    program: schema.Program, states: list[schema.Buffer], segments: _Segments
) -> schema.Program:
    if len(states) < 2:
        return replace(program, mutable_data_segments=None)
    offsets, pieces = _packed(states, 1)  # copied when a method is loaded: no alignment
    table = [schema.SubsegmentOffsets(segments.add(pieces), offsets)]
    return replace(program, mutable_data_segments=table)


def _with_delegates_in_segments(
    program: schema.Program, segments: _Segments, alignment: int
) -> schema.Program:
    """Delegates' bytes as segments, equal ones once; empty ones stay inline."""
    seen: dict[bytes, int] = {}
    inline: list[schema.BackendDelegateInlineData] = []
    places: list[schema.BackendDelegateDataReference] = []
    for blob in program.backend_delegate_data:
        data = bytes(blob.data)
        if data and data not in seen:
            seen[data] = segments.add([data], alignment)
        if data:
            place = schema.BackendDelegateDataReference(schema.DataLocation.SEGMENT, seen[data])
        else:
            place = schema.BackendDelegateDataReference(schema.DataLocation.INLINE, len(inline))
            inline.append(blob)
        places.append(place)
    plans = [_with_delegate_places(plan, places) for plan in program.execution_plan]
    return replace(program, backend_delegate_data=inline, execution_plan=plans)


def _with_delegate_places(
    plan: schema.ExecutionPlan, places: list[schema.BackendDelegateDataReference]
) -> schema.ExecutionPlan:
    def moved(delegate: schema.BackendDelegate) -> schema.BackendDelegate:
        assert delegate.processed is not None
        return replace(delegate, processed=places[delegate.processed.index])

    return replace(plan, delegates=[moved(delegate) for delegate in plan.delegates])


def _with_named_data(
    program: schema.Program, blobs: list[NamedBlob], segments: _Segments
) -> schema.Program:
    seen: dict[bytes, int] = {}
    table = []
    for blob in blobs:
        data = bytes(blob.data)
        if data not in seen:
            seen[data] = segments.add([data], blob.alignment)
        table.append(schema.NamedData(blob.key, seen[data]))
    return replace(program, named_data=table or None)


def _assemble(
    flatbuffer: bytes, segments: _Segments, header_alignment: int, segment_alignment: int
) -> SerializedProgram:
    """The file: the header goes in behind the identifier, which moves the root table."""
    if not segments.size:
        return SerializedProgram((flatbuffer,))
    padded = align_up(_HEADER.size, header_alignment)
    root = struct.unpack_from("<I", flatbuffer)[0] + padded
    program_size = len(flatbuffer) + padded
    base = align_up(program_size, segment_alignment)
    header = _HEADER.pack(_HEADER_MAGIC, _HEADER.size, program_size, base, segments.size)
    head = struct.pack("<I", root) + IDENTIFIER + header + bytes(padded - _HEADER.size)
    gap = bytes(base - program_size)
    return SerializedProgram((head, flatbuffer[_HEADER_AT:], gap, *segments.pieces))


@dataclass(frozen=True)
class _Layout:
    """Where the parts of a file lie, by its extended header."""

    program_size: int
    segment_base: int
    segment_size: int


def deserialize_pte_binary(program_data: bytes) -> PTEFile:
    """The content of a `.pte` file; constants and delegates inline again, as views of it.

    Raises `InvalidProgramError` for anything else, naming the element at fault. A constant's
    length is not stored: each reaches to the next one, so it may have padding behind it.
    """
    data = memoryview(program_data)
    if len(data) < _HEADER_AT or bytes(data[4:8]) != IDENTIFIER:
        found = bytes(data[4:8])
        raise InvalidProgramError(f"file identifier: expected {IDENTIFIER!r}, found {found!r}")
    layout = _layout(data)
    program: schema.Program = read_root(schema.Program, data[: layout.program_size])
    area = data[layout.segment_base : layout.segment_base + layout.segment_size]
    segments = [_segment(area, s, i) for i, s in enumerate(program.segments)]
    constants = _unpacked(program.constant_segment, segments, "constant_segment")
    states = program.mutable_data_segments or []
    mutable = [b for i, s in enumerate(states) for b in _unpacked(s, segments, f"mutable_data_segments[{i}]")]
    named = [_named_blob(item, segments, i) for i, item in enumerate(program.named_data or [])]
    program = replace(
        _with_delegates_inline(program, segments),
        constant_buffer=constants or program.constant_buffer,
        constant_segment=None,
        mutable_data_segments=None,
        named_data=None,
        segments=[],
    )
    return PTEFile(program, mutable, named)


def _layout(data: memoryview) -> _Layout:
    if bytes(data[_HEADER_AT : _HEADER_AT + 4]) != _HEADER_MAGIC:
        return _Layout(len(data), len(data), 0)
    if len(data) < _HEADER_AT + _LEAST_HEADER:
        raise InvalidProgramError(f"extended header: file of {len(data)} bytes is too short")
    head = bytes(data[_HEADER_AT : _HEADER_AT + _HEADER.size]).ljust(_HEADER.size, b"\0")
    _, length, program_size, base, size = _HEADER.unpack(head)
    if length < _LEAST_HEADER:
        raise InvalidProgramError(f"extended header: length {length} is below {_LEAST_HEADER}")
    if length < _HEADER.size:
        size = max(len(data) - base, 0) if base else 0
    _check_layout(len(data), program_size, base, size)
    return _Layout(program_size, base, size)


def _check_layout(length: int, program_size: int, base: int, size: int) -> None:
    if program_size > length:
        raise InvalidProgramError(f"extended header: program of {program_size} bytes in a file of {length}")
    if base + size > length or 0 < base < program_size:
        raise InvalidProgramError(
            f"extended header: segments at {base}, {size} bytes, in a file of {length} "
            f"whose program has {program_size}"
        )


def _segment(area: memoryview, segment: schema.DataSegment, index: int) -> memoryview:
    end = segment.offset + segment.size
    if end > len(area):
        raise InvalidProgramError(f"segments[{index}]: ends at {end}, past {len(area)}")
    return area[segment.offset : end]


def _unpacked(
    subsegments: schema.SubsegmentOffsets | None, segments: list[memoryview], place: str
) -> list[schema.Buffer]:
    """Buffers of a packed segment; entry 0 is reserved and empty."""
    if subsegments is None or not subsegments.offsets:
        return []
    data = _at(segments, subsegments.segment_index, f"{place}.segment_index")
    ends = [*subsegments.offsets[2:], len(data)]
    buffers = [schema.Buffer()]
    for index, (start, end) in enumerate(zip(subsegments.offsets[1:], ends), start=1):
        if not start <= end <= len(data):
            raise InvalidProgramError(f"{place}.offsets[{index}]: {start} to {end} of {len(data)}")
        buffers.append(schema.Buffer(data[start:end]))
    return buffers


def _at(items: list[memoryview], index: int, place: str) -> memoryview:
    if index >= len(items):
        raise InvalidProgramError(f"{place}: {index} is not below {len(items)}")
    return items[index]


def _named_blob(item: schema.NamedData, segments: list[memoryview], index: int) -> NamedBlob:
    place = f"named_data[{index}]"
    if item.key is None:
        raise InvalidProgramError(f"{place}.key: missing")
    return NamedBlob(item.key, _at(segments, item.segment_index, f"{place}.segment_index"))


def _with_delegates_inline(program: schema.Program, segments: list[memoryview]) -> schema.Program:
    inline = [memoryview(blob.data) for blob in program.backend_delegate_data]
    blobs: list[schema.BackendDelegateInlineData] = []

    def moved(delegate: schema.BackendDelegate, place: str) -> schema.BackendDelegate:
        if delegate.processed is None:
            raise InvalidProgramError(f"{place}.processed: missing")
        is_segment = delegate.processed.location == schema.DataLocation.SEGMENT
        data = _at(segments if is_segment else inline, delegate.processed.index, place)
        blobs.append(schema.BackendDelegateInlineData(data))
        reference = schema.BackendDelegateDataReference(index=len(blobs) - 1)
        return replace(delegate, processed=reference)

    plans = [
        replace(
            plan,
            delegates=[
                moved(delegate, f"execution_plan[{p}].delegates[{d}]")
                for d, delegate in enumerate(plan.delegates)
            ],
        )
        for p, plan in enumerate(program.execution_plan)
    ]
    return replace(program, execution_plan=plans, backend_delegate_data=blobs)
