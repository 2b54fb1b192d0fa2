"""Machine code for tests, which execute it or write it to files."""

from __future__ import annotations

import ctypes
import mmap
import struct
from pathlib import Path

_RET = b"\xc3"
_HEADER, _SECTION = 64, 64  # bytes
_IN_FILE = 1
_CODE, _DATA = 4, 2  # section flags: executable, and allocated
_SHARED, _X86_64 = 3, 62


def execute(code: bytes) -> None:
    """Run instructions that use no stack and no callee-saved register."""
    with mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC) as memory:
        memory.write(code + _RET)
        start = ctypes.c_char.from_buffer(memory)
        ctypes.CFUNCTYPE(None)(ctypes.addressof(start))()
        del start


def write_library(path: Path, code: bytes, data: bytes = b"", address: int = 0x1000) -> Path:
    """An x86-64 ELF file with these bytes as code at `address`, then data."""
    sections = [
        (_CODE, address, _HEADER, len(code)),
        (_DATA, address + len(code), _HEADER + len(code), len(data)),
    ]
    table = _HEADER + len(code) + len(data)
    identity = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
    header = identity + struct.pack(
        "<HHIQQQIHHHHHH", _SHARED, _X86_64, 1, 0, 0, table, 0, _HEADER, 0, 0, _SECTION, len(sections), 0
    )
    entries = [struct.pack("<IIQQQQIIQQ", 0, _IN_FILE, *section, 0, 0, 1, 0) for section in sections]
    path.write_bytes(header + code + data + b"".join(entries))
    return path
