"""Tests that find instructions in generated files."""

from __future__ import annotations

import os

import pytest

from benchmarks.latency.cpuid import NoDisassembler, instructions
from benchmarks.latency.testing_code import write_library

_CPUID = bytes.fromhex("0fa2")
_PART_OF_ANOTHER = bytes.fromhex("c7000fa20fa2")  # mov dword ptr [rax], 0xa20fa20f
_SAVED = bytes.fromhex("5389f8")  # push rbx; mov eax, edi


def test_each_instruction_is_found_by_its_address(tmp_path):
    library = write_library(tmp_path / "two.so", _SAVED + _CPUID + _SAVED * 400 + _CPUID, address=0x4000)
    assert instructions(library) == [0x4003, 0x4005 + 1200]


def test_cpuid_bytes_inside_another_instruction_are_ignored(tmp_path):
    library = write_library(tmp_path / "chance.so", _SAVED * 300 + _PART_OF_ANOTHER + _SAVED + _CPUID)
    assert instructions(library) == [0x1000 + 900 + 6 + 3]


def test_cpuid_bytes_in_data_are_ignored(tmp_path):
    assert instructions(write_library(tmp_path / "data.so", _SAVED, data=_CPUID * 9)) == []


@pytest.mark.parametrize("content", [b"", b"/* GNU ld script */ INPUT(libx.so.1)", b"\x7fELF\x01" + _CPUID * 90])
def test_files_without_code_have_no_cpuid_instructions(content, tmp_path):
    path = tmp_path / "other.so"
    path.write_bytes(content)
    assert instructions(path) == []


def test_read_only_file_is_scanned(tmp_path):
    library = write_library(tmp_path / "read_only.so", _CPUID)
    os.chmod(library, 0o444)
    assert instructions(library) == [0x1000]


def test_missing_disassembler_is_named_when_first_needed(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert instructions(write_library(tmp_path / "none.so", _SAVED)) == []
    with pytest.raises(NoDisassembler, match="objdump, of binutils, is not installed"):
        instructions(write_library(tmp_path / "one.so", _CPUID))
