"""Tests that C and Python share one definition of each tuning constant."""

import re
from functools import cache
from pathlib import Path

import pytest

from backends.cpu.schema.codegen.c_headers import content_of
from backends.cpu.schema.cost_model import constants
from backends.cpu.schema.kernel_sizes import kernel_sizes

_ROOT = Path(__file__).parents[3]
_BACKENDS = ("backends/cpu", "backends/xnnpack")
_C_DEFINITION = re.compile(r"^#define (?:ET_CPU_|ET_XNN_)?(\w+) +\(?[0-9]", re.MULTILINE)
_NAMES = [*constants(), *kernel_sizes()]
_PYTHON_DEFINITION = re.compile(r"^_?([A-Z][A-Z0-9_]*)(?:: .+)? = \(?[0-9]", re.MULTILINE)


@cache
def _sources() -> dict[Path, str]:
    """Return the hand-written C and Python sources, without tests and the tables."""
    paths = [path for folder in _BACKENDS for suffix in "ch" for path in (_ROOT / folder).rglob(f"*.{suffix}")]
    paths += [path for folder in _BACKENDS for path in (_ROOT / folder).rglob("*.py")]
    texts = {
        path: path.read_text()
        for path in paths
        if not path.stem.endswith("_test") and path.stem not in ("cost_model", "kernel_sizes")
    }
    return {path: text for path, text in texts.items() if not text.startswith("/* Generated")}


def _copied_name(defined: str) -> str | None:
    """Return the constant whose name is or ends with `defined`, or None.

    Names of one word are skipped.
    """
    return next(
        (name for name in _NAMES if name == defined or ("_" in defined and name.endswith(f"_{defined}"))),
        None,
    )


def test_all_languages_are_searched() -> None:
    found = {path.relative_to(_ROOT).as_posix() for path in _sources()}
    for example in (
        "cpu/compiler/cost.py",
        "cpu/ops/strassen_f32.c",
        "xnnpack/runtime/row_tiling.c",
        "cpu/microkernels/tile.c",
    ):
        assert f"backends/{example}" in found


@pytest.mark.parametrize("name", _NAMES)
def test_constant_is_used(name: str) -> None:
    users = [path for path, text in _sources().items() if re.search(rf"\b(ET_CPU_)?{name}\b", text)]
    assert users


def test_no_source_redefines_a_constant() -> None:
    copies = {
        f"{path.relative_to(_ROOT)}: {defined}": name
        for path, text in _sources().items()
        for pattern in (_C_DEFINITION if path.suffix != ".py" else _PYTHON_DEFINITION,)
        for defined in pattern.findall(text)
        if (name := _copied_name(defined)) is not None
    }
    assert copies == {}


@pytest.mark.parametrize(
    ("defined", "name"),
    [
        ("ROW_TILING_MIN_BYTES", "ROW_TILING_MIN_BYTES"),
        ("TILING_MIN_BYTES", "ROW_TILING_MIN_BYTES"),
        ("MAX_BLOCKS", "MBCONV_MAX_BLOCKS"),
        ("BYTES", None),
        ("G_MIN_BYTES", None),
    ],
)
def test_copies_are_recognized_by_their_name_suffix(defined: str, name: str | None) -> None:
    assert _copied_name(defined) == name


def test_every_constant_is_described() -> None:
    for name, (value, constant) in constants().items():
        assert type(value) is int and value > 0, name
        assert constant.unit and constant.meaning.endswith(".") and constant.measurement.endswith("."), name


@pytest.mark.parametrize(
    ("header", "values"),
    [
        ("cost_model.h", {name: value for name, (value, _) in constants().items()}),
        ("kernel_sizes.h", {name: value for name, (value, _) in kernel_sizes().items()}),
    ],
)
def test_c_header_has_the_values_of_the_module(header: str, values: dict[str, int]) -> None:
    text = content_of(header)
    defined = {name: int(value) for name, value in re.findall(r"^#define ET_CPU_(\w+) (\d+)$", text, re.MULTILINE)}
    assert defined == values
    assert max(map(len, text.splitlines())) <= 100
