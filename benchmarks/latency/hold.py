"""Restrict every library of the process to an instruction set.

Most peers do not have an option for the instruction set. The program restarts itself with an audit
library (native/hold.c), which the dynamic linker calls for each library before the library's code
runs, and with a table of the instructions to replace.
"""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.latency.cpuid import NoDisassembler, instructions
from benchmarks.latency.machine import instruction_sets
from benchmarks.latency.native import Library

# Folders on Python's path whose shared libraries contain compute kernels.
_PACKAGES = ("ai_edge_litert", "executorch", "numpy", "numpy.libs", "onnxruntime", "torch")
_TABLE, _ISA = "LATENCY_HOLD_TABLE", "LATENCY_HOLD_ISA"
_AUDIT, _TUNABLES = "LD_AUDIT", "GLIBC_TUNABLES"
_OURS = (_TABLE, _ISA, _AUDIT, _TUNABLES)
# The C library executes `cpuid` before the audit library is loaded; tunables select its memory functions.
_WITHOUT_AVX512 = "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW"


@dataclass(frozen=True)
class Hold:
    """Result of the restriction."""

    note: str
    holds: bool  # whether wider instruction sets of the processor are hidden


def hold(library: Library, isa: str) -> Hold:
    """Restrict every side to the instruction set. May restart the program."""
    known = instruction_sets()
    wider = known[known.index(isa) + 1 :] if isa in known else []
    if not wider:
        return Hold(f"every side chooses by cpuid, which shows {isa}", False)
    reason = "this machine's dynamic linker does not allow replacing it"
    if not _started_again():
        try:
            start_again(isa, peers())
        except (NoDisassembler, OSError) as error:
            reason = str(error)
    if library.shown_isa in wider:
        return Hold(f"peers choose by cpuid, which shows {library.shown_isa}: {reason}", False)
    return Hold(f"cpuid hides {' and '.join(wider)} from every side", True)


def peers() -> list[Path]:
    """Return the shared libraries of all sides, and the benchmark's own.

    The benchmark's library verifies that `cpuid` is emulated.
    """
    folders = [Path(root, package) for root in sys.path for package in _PACKAGES]
    found = [path for folder in folders for path in folder.rglob("*.so*") if path.is_file()]
    return [Path(os.environ["LATENCY_LIBRARY"]), *found]


def start_again(isa: str, libraries: Iterable[Path]) -> None:
    """Restart this command line, with every `cpuid` of these libraries emulated."""
    table = os.memfd_create("cpuid", 0)  # without flags, exec keeps it open
    os.write(table, places(libraries))
    audit = Path(os.environ["LATENCY_HOLD_LIBRARY"]).resolve()
    added = {_TABLE: str(table), _ISA: isa, _AUDIT: str(audit), _TUNABLES: _WITHOUT_AVX512}
    os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], os.environ | added)


def places(libraries: Iterable[Path]) -> bytes:
    """Write the table that native/hold.c reads."""
    table = bytearray()
    for path in libraries:
        status = path.stat()
        for address in instructions(path):
            table += struct.pack("<4Q", status.st_dev, status.st_ino, address, 0)
    return bytes(table)


def _started_again() -> bool:
    """Return true in the restarted process. Its child processes are not restricted."""
    again = _TABLE in os.environ
    for name in _OURS if again else ():
        del os.environ[name]
    return again
