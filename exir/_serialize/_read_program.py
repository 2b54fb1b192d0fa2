"""Read a program from the untrusted bytes of a `.pte` file."""

from dataclasses import dataclass, replace

from exir import schema
from exir._serialize._flatbuffer_reader import read_root
from exir._serialize._pte_file import (
    HEADER,
    HEADER_AT,
    HEADER_MAGIC,
    IDENTIFIER,
    LEAST_HEADER,
    NamedBlob,
    PTEFile,
)
from exir.base_error import InvalidProgramError


@dataclass(frozen=True)
class _FileLayout:
    """The sizes and positions of a file's parts, from its extended header."""

    program_size: int
    segment_base: int
    segment_size: int


def deserialize_pte_binary(program_data: bytes) -> PTEFile:
    """Return the content of a `.pte` file.

    Constants and delegates are inline, as views of `program_data`. The file does not store a
    constant's length, so each constant extends to the next one and can end with padding. Raises an
    `InvalidProgramError` that names the invalid element.
    """
    data = memoryview(program_data)
    _check_identifier(bytes(data[4:HEADER_AT]))
    layout = _read_file_layout(data)
    program: schema.Program = read_root(schema.Program, data[: layout.program_size])
    area = data[layout.segment_base : layout.segment_base + layout.segment_size]
    segments = [_segment_bytes(area, s, i) for i, s in enumerate(program.segments)]
    constants = _unpack_buffers(program.constant_segment, segments, "constant_segment")
    blobs = [_named_blob(item, segments, i) for i, item in enumerate(program.named_data or [])]
    states = _initial_states(program, segments)
    inline = replace(
        _with_delegates_inline(program, segments),
        constant_buffer=constants or program.constant_buffer,
        constant_segment=None,
        mutable_data_segments=None,
        named_data=None,
        segments=[],
    )
    return PTEFile(inline, states, blobs)


def _check_identifier(found: bytes) -> None:
    if found != IDENTIFIER:
        raise InvalidProgramError(f"file identifier: expected {IDENTIFIER!r}, found {found!r}")


def _read_file_layout(data: memoryview) -> _FileLayout:
    if bytes(data[HEADER_AT : HEADER_AT + 4]) != HEADER_MAGIC:
        return _FileLayout(len(data), len(data), 0)
    if len(data) < HEADER_AT + LEAST_HEADER:
        raise InvalidProgramError(
            f"extended header: the file has {len(data)} bytes, too few for a header"
        )
    head = bytes(data[HEADER_AT : HEADER_AT + HEADER.size]).ljust(HEADER.size, b"\0")
    _, length, program_size, base, size = HEADER.unpack(head)
    if length < LEAST_HEADER:
        raise InvalidProgramError(f"extended header: length {length} is below {LEAST_HEADER}")
    # the header does not state the size, so use the rest of the file
    if length < HEADER.size or size == 0:
        size = max(len(data) - base, 0) if base else 0
    _check_layout(len(data), program_size, base, size)
    return _FileLayout(program_size, base, size)


def _check_layout(length: int, program_size: int, base: int, size: int) -> None:
    if program_size > length:
        raise InvalidProgramError(
            f"extended header: the program has {program_size} bytes, but the file has {length}"
        )
    if base + size > length or 0 < base < program_size:
        raise InvalidProgramError(
            f"extended header: {size} bytes of segments at {base} do not fit after the program of "
            f"{program_size} bytes in a file of {length} bytes"
        )


def _segment_bytes(area: memoryview, segment: schema.DataSegment, index: int) -> memoryview:
    end = segment.offset + segment.size
    if end > len(area):
        raise InvalidProgramError(
            f"segments[{index}]: ends at {end}, after the {len(area)} bytes of all segments"
        )
    return area[segment.offset : end]


def _initial_states(program: schema.Program, segments: list[memoryview]) -> list[schema.Buffer]:
    """Return the initial states of mutable buffers from all of their segments."""
    return [
        buffer
        for index, subsegments in enumerate(program.mutable_data_segments or [])
        for buffer in _unpack_buffers(subsegments, segments, f"mutable_data_segments[{index}]")
    ]


def _unpack_buffers(
    subsegments: schema.SubsegmentOffsets | None, segments: list[memoryview], place: str
) -> list[schema.Buffer]:
    """Return the buffers of a packed segment; entry 0 is reserved and empty."""
    if subsegments is None or not subsegments.offsets:
        return []
    data = _item_at(segments, subsegments.segment_index, f"{place}.segment_index")
    ends = [*subsegments.offsets[2:], len(data)]
    buffers = [schema.Buffer()]
    for index, (start, end) in enumerate(zip(subsegments.offsets[1:], ends), start=1):
        if not start <= end <= len(data):
            raise InvalidProgramError(
                f"{place}.offsets[{index}]: {start} to {end} is not a range within {len(data)} bytes"
            )
        buffers.append(schema.Buffer(data[start:end]))
    return buffers


def _item_at(items: list[memoryview], index: int, place: str) -> memoryview:
    if index >= len(items):
        raise InvalidProgramError(f"{place}: {index} is out of range; there are {len(items)}")
    return items[index]


def _named_blob(item: schema.NamedData, segments: list[memoryview], index: int) -> NamedBlob:
    place = f"named_data[{index}]"
    if item.key is None:
        raise InvalidProgramError(f"{place}.key: missing")
    return NamedBlob(item.key, _item_at(segments, item.segment_index, f"{place}.segment_index"))


def _with_delegates_inline(program: schema.Program, segments: list[memoryview]) -> schema.Program:
    inline = [memoryview(blob.data) for blob in program.backend_delegate_data]
    blobs: list[schema.BackendDelegateInlineData] = []

    def moved(delegate: schema.BackendDelegate, place: str) -> schema.BackendDelegate:
        if delegate.processed is None:
            raise InvalidProgramError(f"{place}.processed: missing")
        is_segment = delegate.processed.location == schema.DataLocation.SEGMENT
        data = _item_at(segments if is_segment else inline, delegate.processed.index, place)
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
