"""The kinds of ops are those of the runtime side."""

import re
from pathlib import Path

from backends.cpu.compiler.ops.registry import OPS, symbol_of

_ROW = re.compile(r"X\(\w+, (\d+), (\w+)\)")


def test_codes_and_symbols_are_those_of_kinds_h() -> None:
    text = Path("backends/cpu/ops/op_codes.h").read_text()
    known = {int(code): f"et_cpu_op_{name}" for code, name in _ROW.findall(text)}
    assert {code: symbol_of(code) for code in OPS}.items() <= known.items()
