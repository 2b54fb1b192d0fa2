"""Tests the size of the example programs: unused code is not linked."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

# Bytes of .text, as measured plus 3 %. Update the value if a program must grow. The CPU backend has
# a copy of its loops for each instruction set.
_CODE_BUDGET = {"DIGITS": 121_000, "MOBILENET": 124_300, "MOBILENET_CPU": 256_300}
_WITH_KERNELS = ("DIGITS", "MOBILENET")

# MobileNetV2 on the CPU backend. The program contains the payload and 3,504,872 parameters, padded
# to panels of 16 columns. Memory is scratch; kernels plan 9.6 MB. The image stays in the caller's
# memory.
_PROGRAM_BUDGET = 14_000_000
_MEMORY_BUDGET = 880_000


def _output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("program", _CODE_BUDGET)
def test_programs_code_is_within_its_budget(program: str) -> None:
    sections = _output("size", "-A", "-d", os.environ[program])
    (code,) = map(int, re.findall(r"^\.text\s+(\d+)", sections, re.MULTILINE))
    print(f"{program}: {code} bytes of code")
    assert code <= _CODE_BUDGET[program]


@pytest.mark.parametrize("program", _WITH_KERNELS)
def test_only_recorded_dtype_conversions_are_linked(program: str) -> None:
    manifest = json.loads(Path(os.environ[f"{program}_MANIFEST"]).read_text(encoding="utf-8"))
    recorded = {dtype for operator in manifest["operators"] for dtype in operator["dtypes"]}
    defined = re.findall(r"^\w+ [RrDd] et_converter_(\w+)$", _output("nm", os.environ[program]), re.MULTILINE)
    assert set(defined) == recorded


def test_mobilenet_on_the_cpu_backend_is_one_delegate() -> None:
    (method,) = json.loads(Path(os.environ["MOBILENET_CPU_MANIFEST"]).read_text(encoding="utf-8"))["methods"]
    (delegate,) = method["delegates"]
    assert (method["instructions"], method["operators"], method["not_delegated"]) == (1, [], [])
    defined = re.findall(r"^\w+ [RrDd] (et_cpu_op_\w+)$", _output("nm", os.environ["MOBILENET_CPU"]), re.MULTILINE)
    assert sorted(defined) == delegate["parts"]


def test_cpu_program_and_memory_are_within_their_budgets() -> None:
    assert Path(os.environ["MOBILENET_CPU_PTE"]).stat().st_size <= _PROGRAM_BUDGET
    (method,) = json.loads(Path(os.environ["MOBILENET_CPU_MANIFEST"]).read_text(encoding="utf-8"))["methods"]
    (scratch,) = method["memory"]["scratch"]
    memory = sum(method["memory"]["planned_bytes"]) + int(scratch.rstrip("u"))
    print(f"planned memory and scratch: {memory}")
    assert memory <= _MEMORY_BUDGET


def test_smallest_program_runs() -> None:
    assert 0 <= int(_output(os.environ["MOBILENET_CPU"])) < 1000
