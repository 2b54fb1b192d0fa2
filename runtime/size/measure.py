"""Measure the code size of the core, compiled with -Os.

The core loads, verifies and runs programs. Kernels and prim operators are not included.

    python3 -m runtime.size.measure

Needs gcc, and gcc-arm-none-eabi with libnewlib-arm-none-eabi for the Cortex-M4.
"""

from __future__ import annotations

import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
_FLAGS = ("-std=c11", "-Os", "-ffunction-sections", "-fdata-sections", "-I.", "-Iruntime/include")
_LINK = ("-nostdlib", "-static", "-no-pie", "-Wl,--gc-sections", "-Wl,-e,main", "-Wl,--unresolved-symbols=ignore-all")
_FOLDERS = ("core", "program", "method")
_MAIN = ("runtime/size/linked.c", "runtime/size/no_kernels.c")


@dataclass(frozen=True)
class Machine:
    """A target: its compiler and compiler flags."""

    name: str
    prefix: str
    flags: tuple[str, ...]


X86_64 = Machine("x86-64", "", ("-fno-pie",))
CORTEX_M4 = Machine(
    "Cortex-M4", "arm-none-eabi-", ("-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16")
)
_FIRST_FILE_ID = 0x8001  # as many digits as the ids in a build
MESSAGES = {"texts": (), "codes": ("-DET_MESSAGES_CODES",)}


@dataclass(frozen=True)
class Size:
    """Bytes of code and constants, and of variables."""

    constant: int
    variable: int


def measure(machine: Machine, messages: str, root: Path = ROOT) -> Size:
    """Measure runtime/size/linked.c without kernels and without the C library."""
    compiler = f"{machine.prefix}gcc"
    with tempfile.TemporaryDirectory() as folder:
        flags = (*machine.flags, *_FLAGS, *MESSAGES[messages])

        def compiled(numbered: tuple[int, str]) -> str:
            number, source = numbered
            made = f"{folder}/{source.replace('/', '_')}.o"
            subprocess.run([compiler, *flags, f"-DET_FILE_ID={number}", "-c", source, "-o", made], cwd=root, check=True)
            return made

        with ThreadPoolExecutor() as pool:
            objects = list(pool.map(compiled, enumerate(_sources(root), _FIRST_FILE_ID)))
        program = f"{folder}/core"
        link = [compiler, *machine.flags, *_LINK, *objects, "-o", program]
        subprocess.run(link, cwd=root, check=True, capture_output=True)
        return _sections(machine, program)


def _sources(root: Path) -> list[str]:
    found = [path for folder in _FOLDERS for path in sorted((root / "runtime" / folder).glob("*.c"))]
    return [path.relative_to(root).as_posix() for path in found if not path.name.endswith("_test.c")] + list(_MAIN)


def _sections(machine: Machine, program: str) -> Size:
    command = [f"{machine.prefix}size", "-A", program]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in listing.splitlines() if line.startswith(".")]
    sizes = {row[0]: int(row[1]) for row in rows}
    return Size(
        constant=sum(size for name, size in sizes.items() if name.startswith((".text", ".rodata", ".data.rel.ro"))),
        variable=sum(size for name, size in sizes.items() if name in (".data", ".bss")),
    )


if __name__ == "__main__":
    for machine in (X86_64, CORTEX_M4):
        for kind in MESSAGES:
            found = measure(machine, kind)
            print(f"{machine.name} {kind}: {found.constant:,} bytes, {found.variable} of variables")
