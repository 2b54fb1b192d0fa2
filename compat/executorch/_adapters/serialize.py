"""Read and write `.pte` files with the official interface."""

import json
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from typing import Any, BinaryIO, ClassVar

from exir import _serialize, schema
from exir._serialize import (
    HEADER,
    HEADER_AT,
    HEADER_MAGIC,
    IDENTIFIER,
    LEAST_HEADER,
    DataEntry,
    NamedBlob,
    NamedDataStoreOutput,
    read_root,
    write_root,
)
from exir.error import ConfigError
from exir.planning.placement import aligned


class Cord:
    """Bytes in pieces, which are joined when they are read."""

    def __init__(self, data: "bytes | Cord | None" = None) -> None:
        self._buffers: list[bytes] = []
        if data is not None:
            self.append(data)

    def append(self, data: "bytes | Cord") -> None:
        """Append data without copying it."""
        self._buffers += data._buffers if isinstance(data, Cord) else [data]

    def __len__(self) -> int:
        return sum(map(len, self._buffers))

    def __bytes__(self) -> bytes:
        return b"".join(self._buffers)

    def write_to_file(self, outfile: BinaryIO) -> None:
        """Write the pieces to a file."""
        for piece in self._buffers:
            outfile.write(piece)


@dataclass
class PTEFile:
    """A program, initial states of its mutable buffers, and named data."""

    program: schema.Program
    mutable_data: list[schema.Buffer] | None = None
    named_data: NamedDataStoreOutput | None = None


def serialize_pte_binary(
    pte_file: PTEFile,
    *,
    extract_delegate_segments: bool = False,
    segment_alignment: int = 128,
    constant_tensor_alignment: int | None = None,
    delegate_alignment: int | None = None,
) -> Cord:
    """Return the file of `pte_file`. The program itself is not changed."""
    _check_inline_delegates(pte_file.program)
    data = _serialize.serialize_pte_binary(
        _serialize.PTEFile(pte_file.program, pte_file.mutable_data or [], _named_blobs(pte_file.named_data)),
        extract_delegate_segments=extract_delegate_segments,
        segment_alignment=segment_alignment,
        constant_tensor_alignment=constant_tensor_alignment,
        delegate_alignment=delegate_alignment,
    )
    return Cord(bytes(data))


def _check_inline_delegates(program: schema.Program) -> None:
    used = {
        delegate.processed.index for plan in program.execution_plan for delegate in plan.delegates if delegate.processed
    }
    unused = sorted(set(range(len(program.backend_delegate_data))) - used)
    if unused:
        raise ConfigError(f"backend_delegate_data[{unused[0]}] does not belong to a delegate")


def _named_blobs(data: NamedDataStoreOutput | None) -> list[NamedBlob]:
    entries = data.pte_data.items() if data is not None else ()
    return [NamedBlob(key, data.buffers[e.buffer_index], e.alignment) for key, e in entries]  # type: ignore[union-attr]


def deserialize_pte_binary(program_data: bytes) -> PTEFile:
    """Return the contents of a file."""
    found = _serialize.deserialize_pte_binary(program_data)
    program = replace(_with_own_bytes(found.program), constant_segment=schema.SubsegmentOffsets(), named_data=[])
    return PTEFile(program, _with_own_bytes(found.mutable_data) or None, _blobs_by_name(found.named_data))


def _with_own_bytes(value: Any) -> Any:
    """Return a copy in which views of the file are replaced by bytes."""
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{field.name: _with_own_bytes(getattr(value, field.name)) for field in fields(value)})
    if isinstance(value, list):
        return [_with_own_bytes(item) for item in value]
    return bytes(value) if isinstance(value, memoryview) else value


def _blobs_by_name(blobs: list[NamedBlob]) -> NamedDataStoreOutput | None:
    if not blobs:
        return None
    buffers: list[bytes | memoryview] = []
    entries: dict[str, DataEntry] = {}
    for blob in blobs:
        data = bytes(blob.data)
        if data not in buffers:
            buffers.append(data)
        entries[blob.key] = DataEntry(buffers.index(data), blob.alignment)
    return NamedDataStoreOutput(buffers, entries, {})


def program_to_json(program: schema.Program) -> str:
    """Return all fields of `program` as JSON, with bytes as lists of integers."""
    return json.dumps(asdict(program), default=_to_bytes, sort_keys=True)


def _to_bytes(value: bytes | memoryview) -> list[int]:
    return list(bytes(value))


def flatbuffer_to_program(program_data: bytes) -> schema.Program:
    """Return the flatbuffer at the start of a file, without the segments after it."""
    return _with_own_bytes(read_root(schema.Program, memoryview(program_data)))


@dataclass
class FlatbufferResult:
    """A flatbuffer and its required alignment."""

    data: bytes
    max_alignment: int


def program_to_flatbuffer(
    program: schema.Program, *, constant_tensor_alignment: int | None = None, delegate_alignment: int | None = None
) -> FlatbufferResult:
    """Return the flatbuffer of `program` with inline data."""
    alignment = max(constant_tensor_alignment or 16, delegate_alignment or 16)
    if alignment & (alignment - 1) or (constant_tensor_alignment or 16) & ((constant_tensor_alignment or 16) - 1):
        raise ConfigError(f"alignments must be powers of two, got {constant_tensor_alignment}, {delegate_alignment}")
    return FlatbufferResult(bytes(write_root(program, IDENTIFIER, alignment)), alignment)


@dataclass
class ExtendedHeader:
    """The header after a file's identifier: locations of the program and segments."""

    MAGIC_OFFSET: ClassVar[int] = HEADER_AT
    NUM_HEAD_BYTES: ClassVar[int] = 64
    EXPECTED_MAGIC: ClassVar[bytes] = HEADER_MAGIC
    MINIMUM_LENGTH: ClassVar[int] = LEAST_HEADER
    EXPECTED_LENGTH: ClassVar[int] = HEADER.size

    program_size: int
    segment_base_offset: int
    segment_data_size: int
    magic: bytes = HEADER_MAGIC
    length: int = HEADER.size

    @staticmethod
    def from_bytes(data: bytes) -> "ExtendedHeader":
        """Read a header. Raise ValueError if there are not enough bytes."""
        if len(data) < LEAST_HEADER:
            raise ValueError(f"Not enough data for extended header: {len(data)} < {LEAST_HEADER}")
        magic, length, program_size, base, size = HEADER.unpack(data[: HEADER.size].ljust(HEADER.size, b"\0"))
        return ExtendedHeader(program_size, base, size if length >= HEADER.size else 0, magic, length)

    def is_valid(self) -> bool:
        """Return true if the magic and the length are valid."""
        return self.magic == HEADER_MAGIC and self.length >= LEAST_HEADER

    def to_bytes(self) -> bytes:
        """Return the header's bytes. The magic and the length are always the same."""
        return HEADER.pack(
            HEADER_MAGIC, HEADER.size, self.program_size, self.segment_base_offset, self.segment_data_size
        )


def get_extended_header(program_data: bytes) -> ExtendedHeader | None:
    """Return the header of a file, or None."""
    try:
        header = ExtendedHeader.from_bytes(program_data[HEADER_AT:])
    except ValueError:
        return None
    return header if header.is_valid() else None


def pad_to(data: bytes, length: int) -> bytes:
    """Pad `data` with zeros. Raise ValueError if it is longer than `length`."""
    if length < len(data):
        raise ValueError(f"Data length {len(data)} > padded length {length}")
    return data.ljust(length, b"\0")


def padding_required(offset: int, alignment: int) -> int:
    """Return the number of bytes to the next multiple of `alignment`."""
    return -offset % alignment


def aligned_size(input_size: int, alignment: int) -> int:
    """Round `input_size` up to a multiple of `alignment`."""
    return aligned(input_size, alignment)
