"""The content of a `.pte` file and the format of its extended header."""

import struct
from dataclasses import dataclass, field

from exir import schema

IDENTIFIER = b"ET12"
HEADER_MAGIC = b"eh00"
HEADER_AT = 8
HEADER = struct.Struct("<4sIQQQ")
LEAST_HEADER = 24
"""Length in bytes of the header of older files, which has no segment data size."""


@dataclass(frozen=True)
class NamedBlob:
    """Bytes that a delegate looks up by name at run time."""

    key: str
    data: bytes | memoryview
    alignment: int = 1


@dataclass
class PTEFile:
    """The content of a `.pte`: program, initial states of mutable buffers, named data.

    In `program`, constants and delegates are inline (`constant_buffer`, `backend_delegate_data`).
    Entry 0 of `constant_buffer` and of `mutable_data` is reserved.
    """

    program: schema.Program
    mutable_data: list[schema.Buffer] = field(default_factory=list)
    named_data: list[NamedBlob] = field(default_factory=list)
