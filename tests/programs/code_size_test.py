"""How much code of the CPU backend a MobileNetV2 links for one instruction set."""

from __future__ import annotations

import os
import re
import subprocess

import pytest

# Bytes of .text, of which AVX2 has 61,100, AVX-512 75,300. AVX-512 has more shapes of tiles, and each of its instructions is longer.
_BUDGET = {"AVX2": 60 << 10, "AVX512": 75_400}
_LIBRARIES = 14
# Of the library that checks steps: what no step of floats calls.
_NOT_LINKED = "quantized."


@pytest.mark.parametrize("isa", _BUDGET)
def test_code_for_one_instruction_set_is_within_its_budget(isa: str) -> None:
    libraries = [path for path in os.environ[isa].split() if path.endswith(".a")]
    assert len(libraries) == _LIBRARIES
    objects = subprocess.run(["size", "-A", "-d", *libraries], capture_output=True, text=True, check=True).stdout
    linked = [each for each in objects.split("\n\n") if not each.lstrip().startswith(_NOT_LINKED)]
    code = sum(map(int, re.findall(r"^\.text\S*\s+(\d+)", "\n".join(linked), re.MULTILINE)))
    print(f"{isa}: {code} bytes of code")
    assert 0 < code <= _BUDGET[isa]
