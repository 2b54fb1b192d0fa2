"""Find the `cpuid` instructions of a shared library."""

from __future__ import annotations

import mmap
import re
import struct
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_CPUID = b"\x0f\xa2"
_BEFORE = 512  # bytes to disassemble before a candidate; a disassembly synchronizes within a few dozen
_STARTS = 8  # start offsets to try; all of them must reach the candidate
_PADDING = b"\x90" * 16  # nop: longer than any instruction
_FOUND = re.compile(r"^ *([0-9a-f]+):\t0f a2 +\tcpuid", re.MULTILINE)
_ELF, _X86_64 = b"\x7fELF\x02", 62
_CODE = 4  # SHF_EXECINSTR
_IN_FILE = 1  # SHT_PROGBITS


class NoDisassembler(Exception):
    """objdump is missing or does not work; the message states which."""


@dataclass(frozen=True)
class _Section:
    address: int
    offset: int
    size: int


def instructions(library: Path) -> list[int]:
    """Return the file addresses of `cpuid` instructions.

    A candidate is a matching byte pair. It is an instruction if a disassembly that starts at an
    earlier byte contains it. Returns nothing for files other than ELF for x86-64. Raises
    `NoDisassembler` if there are candidates and no objdump.
    """
    with library.open("rb") as file:
        header = file.read(20)
        if header[:5] != _ELF or header[18] != _X86_64:
            return []
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            candidates = [candidate for section in _code(content) for candidate in _candidates(content, section)]
    return _arrived_at(candidates) if candidates else []


def _code(content: mmap.mmap) -> Iterator[_Section]:
    (table,) = struct.unpack_from("<Q", content, 40)
    size, count = struct.unpack_from("<HH", content, 58)
    for index in range(count):
        _, kind, flags, *place = struct.unpack_from("<IIQQQQ", content, table + index * size)
        if kind == _IN_FILE and flags & _CODE:
            yield _Section(*place)


def _candidates(content: mmap.mmap, section: _Section) -> Iterator[tuple[int, bytes]]:
    """Find addresses of the instruction's bytes, and the bytes before them."""
    end = section.offset + section.size
    at = content.find(_CPUID, section.offset, end)
    while at >= 0:
        yield section.address + at - section.offset, content[max(section.offset, at - _BEFORE) : at]
        at = content.find(_CPUID, at + 1, end)


def _arrived_at(candidates: list[tuple[int, bytes]]) -> list[int]:
    code = bytearray()
    places: dict[int, list[int]] = {}
    for address, before in candidates:
        for start in range(_STARTS):
            code += before[start:]
            places.setdefault(address, []).append(len(code))
            code += _CPUID + _PADDING
    found = {int(match[1], 16) for match in _FOUND.finditer(_disassembled(code))}
    return [address for address, tried in places.items() if found.issuperset(tried)]


def _disassembled(code: bytes | bytearray) -> str:
    with tempfile.NamedTemporaryFile() as file:
        file.write(code)
        file.flush()
        command = ["objdump", "-D", "-z", "-b", "binary", "-m", "i386:x86-64", file.name]
        try:
            return subprocess.run(command, check=True, capture_output=True, text=True).stdout
        except FileNotFoundError:
            raise NoDisassembler("objdump, of binutils, is not installed") from None
        except subprocess.CalledProcessError as error:
            raise NoDisassembler(f"objdump failed: {error.stderr.strip()}") from error
