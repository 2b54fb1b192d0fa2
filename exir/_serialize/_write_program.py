"""Write a program as the bytes of a `.pte` file: header, flatbuffer, segments."""

import hashlib
import math
import struct
from dataclasses import replace

from exir import schema
from exir._serialize._pte_file import (
    HEADER,
    HEADER_AT,
    HEADER_MAGIC,
    IDENTIFIER,
    NamedBlob,
    PTEFile,
)
from exir._serialize._segments import Segments, SerializedProgram, align_up, order_of_key, write_root
from exir._serialize._tables import BUFFER_ALIGNMENT
from exir.base_error import ConfigError


def serialize_pte_binary(
    pte_file: PTEFile,
    *,
    extract_delegate_segments: bool = True,
    segment_alignment: int = 128,
    constant_tensor_alignment: int | None = None,
    delegate_alignment: int | None = None,
) -> SerializedProgram:
    """Return the `.pte` file of `pte_file`.

    Alignments are in bytes and must be powers of two. Constants, and delegates that stay in the
    flatbuffer, are at least 16-byte aligned. Raises `ConfigError` for an invalid alignment.
    """
    constant_alignment = _check_alignment("constant_tensor_alignment", constant_tensor_alignment)
    inline_alignment = _check_alignment("delegate_alignment", delegate_alignment)
    segments = Segments(_check_alignment("segment_alignment", segment_alignment, least=1))
    program = _with_constants_in_segment(pte_file.program, segments, constant_alignment)
    program = _with_mutable_segment(program, pte_file.mutable_data, segments)
    if extract_delegate_segments:
        program = _with_delegates_in_segments(program, segments, delegate_alignment or 1)
    program = _with_named_data(program, pte_file.named_data, segments)
    program = replace(program, segments=segments.table)
    flatbuffer = write_root(program, IDENTIFIER, inline_alignment)
    return _insert_header(flatbuffer, segments, max(constant_alignment, inline_alignment))


def _check_alignment(name: str, value: int | None, least: int = BUFFER_ALIGNMENT) -> int:
    value = least if value is None else value
    if value < 1 or value & (value - 1):
        raise ConfigError(f"'{name}' must be a power of two, got {value}")
    return max(value, least)


def _pack_buffers(
    buffers: list[schema.Buffer], alignment: int
) -> tuple[list[int], list[bytes | memoryview]]:
    """Return the aligned offsets of `buffers` in one segment, and its bytes."""
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
    program: schema.Program, segments: Segments, alignment: int
) -> schema.Program:
    if not program.constant_buffer:
        return program
    offsets, pieces = _pack_buffers(program.constant_buffer, alignment)
    constants = schema.SubsegmentOffsets(segments.add(pieces), offsets)
    return replace(program, constant_buffer=[], constant_segment=constants)


def _with_mutable_segment(
    program: schema.Program, states: list[schema.Buffer], segments: Segments
) -> schema.Program:
    if len(states) < 2:
        return replace(program, mutable_data_segments=None)
    offsets, pieces = _pack_buffers(states, 1)  # no alignment: loading a method copies states
    table = [schema.SubsegmentOffsets(segments.add(pieces), offsets)]
    return replace(program, mutable_data_segments=table)


def _with_delegates_in_segments(
    program: schema.Program, segments: Segments, alignment: int
) -> schema.Program:
    """Move delegate payloads to segments.

    Equal payloads share a segment. Empty payloads stay inline.
    """
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
    program: schema.Program, blobs: list[NamedBlob], segments: Segments
) -> schema.Program:
    """Add a segment for each distinct content.

    A segment's alignment is the least common multiple of its keys' alignments. Keys are sorted, so
    that readers can use binary search.
    """
    blobs = sorted(blobs, key=lambda blob: order_of_key(blob.key))
    digests = [hashlib.sha256(blob.data).digest() for blob in blobs]
    alignments: dict[bytes, int] = {}
    for digest, blob in zip(digests, blobs):
        alignments[digest] = math.lcm(alignments.get(digest, 1), blob.alignment)
    seen: dict[bytes, int] = {}
    table = []
    for digest, blob in zip(digests, blobs):
        if digest not in seen:
            seen[digest] = segments.add([blob.data], alignments[digest])
        table.append(schema.NamedData(blob.key, seen[digest]))
    return replace(program, named_data=table or None)


def _insert_header(flatbuffer: bytes, segments: Segments, header_alignment: int) -> SerializedProgram:
    """Insert the header after the file identifier, which shifts the root table."""
    if not segments.size:
        return SerializedProgram((flatbuffer,))
    padded = align_up(HEADER.size, header_alignment)
    root = struct.unpack_from("<I", flatbuffer)[0] + padded
    program_size = len(flatbuffer) + padded
    base = align_up(program_size, segments.base_alignment)
    header = HEADER.pack(HEADER_MAGIC, HEADER.size, program_size, base, segments.size)
    head = struct.pack("<I", root) + IDENTIFIER + header + bytes(padded - HEADER.size)
    gap = bytes(base - program_size)
    return SerializedProgram((head, flatbuffer[HEADER_AT:], gap, *segments.pieces))
