"""Test that the runtime uses no heap, no I/O and no global state."""

import os
import re
import subprocess
from pathlib import Path

import pytest

_ARCHIVES = [path for path in os.environ["ARCHIVES"].split() if path.endswith(".a")]

# String and math functions of the C library, and functions that compilers insert.
_ALLOWED = re.compile(
    r"et_\w+|_GLOBAL_OFFSET_TABLE_|__stack_chk_fail(_local)?|__udivdi3|__u?moddi3|__divdi3"
    r"|(__)?(memcpy|memmove|memset|memcmp|bcmp|memchr|strlen|strcmp|strcspn|strncmp|strstr|strchr)(_chk)?"
    r"|floor|fmod|trunc|ceil|nearbyint"
)


def _symbols(archive: str) -> list[tuple[str, str]]:
    """Return the kind (a letter of nm) and the name of each symbol."""
    listing = subprocess.run(["nm", archive], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^(?:[0-9a-f]+| +) (\w) (\S+)$", listing, re.MULTILINE)


@pytest.mark.parametrize("archive", _ARCHIVES)
def test_runtime_calls_only_string_and_math_functions(archive: str) -> None:
    wanted = {name for kind, name in _symbols(archive) if kind == "U"}
    assert wanted, Path(archive).name
    assert {name for name in wanted if not _ALLOWED.fullmatch(name)} == set()


@pytest.mark.parametrize("archive", _ARCHIVES)
def test_runtime_has_no_mutable_globals(archive: str) -> None:
    """Test bss only; in position-independent code, d also has constant addresses."""
    assert [name for kind, name in _symbols(archive) if kind in "BbCc"] == []


def test_every_runtime_library_is_inspected() -> None:
    assert len(_ARCHIVES) >= 4
