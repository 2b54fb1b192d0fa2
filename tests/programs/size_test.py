"""How large the example programs are: what they do not use is not linked."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

# Bytes of .text, measured and 3 % more. A program that grows for a reason gets a new figure here.
_CODE_BUDGET = {"DIGITS": 109_700, "MOBILENET": 116_800}


def _output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("program", _CODE_BUDGET)
def test_code_is_within_its_budget(program: str) -> None:
    sections = _output("size", "-A", "-d", os.environ[program])
    (code,) = map(int, re.findall(r"^\.text\s+(\d+)", sections, re.MULTILINE))
    print(f"{program}: {code} bytes of code")
    assert code <= _CODE_BUDGET[program]


@pytest.mark.parametrize("program", _CODE_BUDGET)
def test_just_the_conversions_of_the_recorded_dtypes_are_linked(program: str) -> None:
    manifest = json.loads(Path(os.environ[f"{program}_MANIFEST"]).read_text(encoding="utf-8"))
    recorded = {dtype for operator in manifest["operators"] for dtype in operator["dtypes"]}
    defined = re.findall(r"^\w+ [RrDd] et_converter_(\w+)$", _output("nm", os.environ[program]), re.MULTILINE)
    assert set(defined) == recorded
