"""Copy a WebAssembly module without its custom sections, such as names.

Usage: `python3 -m rules.codegen.wasm_strip IN.wasm OUT.wasm`.

The linker can omit them too, but Zig would then compile the C library again for each link.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

_HEADER = b"\0asm\1\0\0\0"
_CUSTOM = 0


def _read_size(module: bytes, at: int) -> tuple[int, int]:
    """Return a LEB128 number of 32 bits, and the offset after it."""
    value = 0
    for shift in range(0, 35, 7):
        byte = module[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise ValueError("a size has more than 5 bytes")


def _sections(module: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the id and the bytes of each section, including its header."""
    at = len(_HEADER)
    while at < len(module):
        size, start = _read_size(module, at + 1)
        if size > len(module) - start:
            raise ValueError("a section ends after the file")
        yield module[at], module[at : start + size]
        at = start + size


def strip(module: bytes) -> bytes:
    """Return the module without custom sections. Raise ValueError if it is not valid."""
    if not module.startswith(_HEADER):
        raise ValueError("not a WebAssembly module")
    try:
        return _HEADER + b"".join(section for kind, section in _sections(module) if kind != _CUSTOM)
    except IndexError as error:
        raise ValueError("a section has no size") from error


def main(argv: list[str]) -> int:
    source, out = map(Path, argv)
    try:
        out.write_bytes(strip(source.read_bytes()))
    except ValueError as error:
        print(f"{source}: {error}; link with a toolchain for WebAssembly", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
