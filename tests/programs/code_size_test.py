"""Tests the code size of MobileNetV2 on the CPU backend, per instruction set."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

# Bytes of .text: AVX2 has 51,983, AVX-512 58,353. AVX-512 has more tile shapes and longer instructions.
_BUDGET = {"AVX2": 52_500, "AVX512": 58_500}
# The symbols in the table of a MobileNetV2.
_ROOTS = ("et_cpu_backend", *(f"et_cpu_op_{op}" for op in ("mbconv_f32", "dwconv_f32", "pool_f32", "gemm_f32")))


def _linked(archives: list[str], folder: Path) -> Path:
    """Link the archive members that the roots need into one relocatable object.

    Sections stay separate, without padding between them. Symbols from other libraries stay
    undefined.
    """
    linked = folder / "linked.o"
    roots = [f"--undefined={root}" for root in _ROOTS]
    subprocess.run(
        ["ld", "-r", "--unique=.text", *roots, "-o", str(linked), "--start-group", *archives, "--end-group"], check=True
    )
    return linked


@pytest.mark.parametrize("isa", _BUDGET)
def test_code_for_one_instruction_set_is_within_its_budget(isa: str, tmp_path: Path) -> None:
    linked = _linked([path for path in os.environ[isa].split() if path.endswith(".a")], tmp_path)
    sections = subprocess.run(["size", "-A", "-d", str(linked)], capture_output=True, text=True, check=True).stdout
    code = sum(map(int, re.findall(r"^\.text\S*\s+(\d+)", sections, re.MULTILINE)))
    print(f"{isa}: {code} bytes of code")
    assert 0 < code <= _BUDGET[isa]


@pytest.mark.parametrize("isa", _BUDGET)
def test_unnamed_ops_are_not_linked(isa: str, tmp_path: Path) -> None:
    linked = _linked([path for path in os.environ[isa].split() if path.endswith(".a")], tmp_path)
    names = subprocess.run(["nm", "--defined-only", str(linked)], capture_output=True, text=True, check=True).stdout
    ops = {name.split()[-1] for name in names.splitlines() if " et_cpu_op_" in name}
    assert ops == set(_ROOTS[1:])
    assert "winograd" not in names
