"""The kinds of steps are those of the runtime side."""

import re
from pathlib import Path

from backends.cpu.compiler.kinds.table import KINDS, symbol_of

_ROW = re.compile(r"X\(\w+, (\d+), (\w+)\)")


def test_codes_and_symbols_are_those_of_kinds_h() -> None:
    text = Path("backends/cpu/steps/kinds.h").read_text()
    known = {int(code): f"et_cpu_step_{name}" for code, name in _ROW.findall(text)}
    assert {code: symbol_of(code) for code in KINDS}.items() <= known.items()
