"""Tests of restricting a program to an instruction set; each starts a process."""

from __future__ import annotations

import os
import signal
import struct
import subprocess
import sys

from benchmarks.latency.hold import places
from benchmarks.latency.machine import instruction_sets
from benchmarks.latency.testing_code import write_library

_HELD = """
import os, sys
from pathlib import Path
from benchmarks.latency import hold
from benchmarks.latency.native import Library
library = Library()
note = hold.hold(library, "avx2").note
"""
_TORCH = """
import torch
print(library.shown_isa, torch.backends.cpu.get_cpu_capability(), note, sep="\\n")
"""
_ILLEGAL = """
from benchmarks.latency.testing_code import execute
execute(bytes.fromhex("0f0b"))
"""
_USED = """
from benchmarks.latency.testing_code import execute
masks = lambda: execute(bytes.fromhex("c5fc46c8"))  # kxnorw k1, k0, k0
for work in (lambda: library.calls.bench_fma_avx2(1_000), {work}, lambda: None):
    library.forget_avx512()
    work()
    print(library.used_avx512)
"""
_STARTED_BY_IT = """
import subprocess
again = "from benchmarks.latency.native import Library; print(Library().shown_isa)"
print(subprocess.run([sys.executable, "-c", again], check=True, capture_output=True, text=True).stdout)
"""
_ELSEWHERE = """
import struct
def moved(libraries):
    return b"".join(struct.pack("<4Q", os.stat(path).st_dev, os.stat(path).st_ino, 0, 0) for path in libraries)
hold.places = moved
"""


def _run_python(program: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program], env=os.environ | environment, capture_output=True, text=True, timeout=300
    )


def _printed(program: str, **environment: str) -> list[str]:
    result = _run_python(program, **environment)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip().splitlines()


def _wider() -> list[str]:
    return instruction_sets()[1:]


def test_libraries_see_only_the_allowed_features():
    shown, capability, note = _printed(_HELD + _TORCH)
    assert (shown, capability) == ("avx2", "AVX2")
    if _wider():
        assert note == f"cpuid hides {' and '.join(_wider())} from every side"


def test_other_illegal_instructions_end_the_program():
    assert _run_python(_HELD + _ILLEGAL).returncode == -signal.SIGILL


def test_registers_count_as_used_until_released():
    wide = "avx512" in instruction_sets()
    *_, narrow, used, forgotten = _printed(_HELD + _USED.replace("{work}", "masks" if wide else "lambda: None"))
    assert (narrow, used, forgotten) in {("False", str(wide), "False"), ("None", "None", "None")}


def test_child_processes_are_not_limited():
    assert _printed(_HELD + _STARTED_BY_IT)[-1] == instruction_sets()[-1]


def test_bytes_that_are_not_cpuid_stay_unchanged():
    shown, _, note = _printed(_HELD.replace("library =", _ELSEWHERE + "library =") + _TORCH)
    assert shown == instruction_sets()[-1]
    if _wider():
        assert note.startswith(f"peers choose by cpuid, which shows {_wider()[-1]}: this machine's dynamic linker")


def test_missing_disassembler_is_reported(tmp_path):
    _, _, note = _printed(_HELD + _TORCH, PATH=str(tmp_path))
    if _wider():
        assert note == f"peers choose by cpuid, which shows {_wider()[-1]}: objdump, of binutils, is not installed"


def test_cpuid_table_has_a_line_per_instruction(tmp_path):
    with_one = write_library(tmp_path / "one.so", bytes.fromhex("0fa2"))
    status = with_one.stat()
    assert places([with_one, write_library(tmp_path / "none.so", b"\x90")]) == struct.pack(
        "<4Q", status.st_dev, status.st_ino, 0x1000, 0
    )
