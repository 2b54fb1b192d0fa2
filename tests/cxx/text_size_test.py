"""Tests that a program in C++ has little more code than the same program in C."""

from __future__ import annotations

import os
import subprocess

import pytest

_LIMIT = 4096


def _text_size(program: str) -> int:
    """Return the size of all read-only sections: code and constants."""
    lines = subprocess.run(["size", program], capture_output=True, text=True, check=True).stdout.splitlines()
    return int(lines[1].split()[0])


@pytest.mark.parametrize("variable", ["CPP", "CPP_HEAP"])
def test_cpp_class_adds_at_most_4_kb(variable: str) -> None:
    in_c, in_cpp = (os.environ[name] for name in ("C", variable))
    outputs = [
        subprocess.run([program], capture_output=True, text=True, check=True).stdout for program in (in_c, in_cpp)
    ]
    assert outputs == ["2\n", "2\n"]
    growth = _text_size(in_cpp) - _text_size(in_c)
    print(f"{variable}: {growth} bytes")
    assert 0 < growth <= _LIMIT
