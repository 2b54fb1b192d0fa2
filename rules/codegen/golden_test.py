"""Tests that compare generated C, C++ and Rust with files in testdata.

`UPDATE_GOLDEN=1 tools/python -m pytest rules/codegen/golden_test.py` rewrites the files.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rules.codegen import c_library, rust_crate

_DATA = Path(__file__).resolve().parent / "testdata"

_KERNELS = """
[dtypes]
float = ["float32"]

[[kernel]]
operator = "aten::abs.out"
symbol = "et_op_abs_out"
file = "op_abs.c"
dtypes = "float"
"""

_VARIANTS = {
    "embedded": ("--weights", "codec", "out/codec.ptd"),
    "borrowed": (
        "--borrow-weights",
        "--borrow-program",
        "codec",
        "_main/app/codec.pte",
        "--shared-memory=app_codec_cc",
    ),
}


def _generate_files(folder: Path, *flags: str) -> dict[str, str]:
    """Return the generated header, source and C++ header by their suffix."""
    table = folder / "kernels.toml"
    table.write_text(_KERNELS, encoding="utf-8")
    manifest = str(_DATA / "codec.manifest.json")
    paths = {suffix: folder / f"codec{suffix}" for suffix in (".h", ".c", ".hpp")}
    code = c_library.main(
        ["--target=//app:codec_cc", "--include=app/codec_cc.h", f"--kernels={table}", "--backend=Npu=npu_backend"]
        + ["--model", "codec", manifest, "out/codec.pte", f"--out-data={folder / 'codec.S'}"]
        + [f"--out-header={paths['.h']}", f"--out-source={paths['.c']}"]
        + [f"--out-cpp-header={paths['.hpp']}", "--cpp-include=app/codec_cc.hpp", *flags]
    )
    assert code == 0
    return {suffix: path.read_text(encoding="utf-8") for suffix, path in paths.items()}


@pytest.mark.parametrize("variant", _VARIANTS)
def test_generated_code_matches_golden_files(variant: str, tmp_path: Path) -> None:
    for suffix, text in _generate_files(tmp_path, *_VARIANTS[variant]).items():
        expected = _DATA / f"codec_{variant}{suffix}.golden"
        if os.environ.get("UPDATE_GOLDEN"):
            expected.write_text(text, encoding="utf-8")
        assert text == expected.read_text(encoding="utf-8"), f"{expected.name} differs"


@pytest.mark.parametrize("variant", ["embedded", "borrowed"])
def test_generated_crate_matches_golden_file(variant: str, tmp_path: Path) -> None:
    out = tmp_path / "codec.rs"
    code = rust_crate.main(
        ["--target=//app:codec_rs", "--library=//app:codec_rs_cc", f"--out={out}"]
        + ["--model", "codec", str(_DATA / "codec.manifest.json")]
        + ["--borrow-program", "--borrow-weights"] * (variant == "borrowed")
    )
    assert code == 0
    expected = _DATA / f"codec_{variant}.rs.golden"
    if os.environ.get("UPDATE_GOLDEN"):
        expected.write_text(out.read_text(encoding="utf-8"), encoding="utf-8")
    assert out.read_text(encoding="utf-8") == expected.read_text(encoding="utf-8"), f"{expected.name} differs"
