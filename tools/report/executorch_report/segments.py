"""The parts of a `.pte` file."""

from __future__ import annotations

from dataclasses import dataclass

from exir import schema
from exir._serialize import HEADER, HEADER_AT, HEADER_MAGIC, read_root


@dataclass(frozen=True)
class Segment:
    """A range of bytes in the file, and its contents."""

    what: str
    offset: int
    nbytes: int
    is_named_data: bool = False


def segments_of(data: bytes) -> tuple[Segment, ...]:
    """Return the parts of a valid file, in the order of the file."""
    if data[HEADER_AT : HEADER_AT + 4] != HEADER_MAGIC:
        return (Segment("program (tables, constants and delegates in them)", 0, len(data)),)
    head = data[HEADER_AT : HEADER_AT + HEADER.size].ljust(HEADER.size, b"\0")
    _, _, program_size, base, _ = HEADER.unpack(head)
    program: schema.Program = read_root(schema.Program, memoryview(data)[:program_size])
    uses = _uses(program)
    named = {tensor.segment_index for tensor in program.named_data or ()}
    parts = [
        Segment(uses.get(index, "unused"), base + segment.offset, segment.size, index in named)
        for index, segment in enumerate(program.segments)
    ]
    return (Segment("program (tables)", 0, program_size), *sorted(parts, key=lambda segment: segment.offset))


def _uses(program: schema.Program) -> dict[int, str]:
    """Return a description of each segment, by its index."""
    uses = {entry.segment_index: f"named data '{entry.key}'" for entry in program.named_data or ()}
    for plan in program.execution_plan:
        for number, delegate in enumerate(plan.delegates):
            place = delegate.processed
            if place is not None and place.location == schema.DataLocation.SEGMENT:
                uses[place.index] = f"delegates[{number}] of '{plan.name}' ({delegate.id})"
    for number, segment in enumerate(program.mutable_data_segments or ()):
        uses[segment.segment_index] = f"initial states {number}"
    if program.constant_segment is not None and program.constant_segment.offsets:
        uses[program.constant_segment.segment_index] = "constants"
    return uses
