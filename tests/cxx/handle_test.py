"""Tests that the handle of another method does not compile."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

_HEADER = Path("rules/codegen/testdata/codec_embedded.h.golden")

_FILE = """
#include "codec_cc.h"
et_status call(codec_encode_method encode, codec_decode_method decode, const uint16_t **data, size_t *count,
               const int32_t **sizes, et_error *error);
et_status call(codec_encode_method encode, codec_decode_method decode, const uint16_t **data, size_t *count,
               const int32_t **sizes, et_error *error) {
  ET_RETURN_IF_ERROR(codec_encode_execute(encode, error));
  ET_RETURN_IF_ERROR(codec_encode_get_code(encode, data, count, sizes, error));
  return codec_decode_set_code(%s, *data, *count, *sizes, error);
}
"""


def _compile(folder: Path, method: str, compiler: str) -> subprocess.CompletedProcess[str]:
    """Compile a call that sets an input of `decode` with the handle `method`."""
    (folder / "npu").mkdir()
    (folder / "npu/npu.h").write_text(
        "#define NPU_BYTES(n) (n)\ntypedef struct npu { int x; } npu;\n", encoding="utf-8"
    )
    (folder / "codec_cc.h").write_text(_HEADER.read_text(encoding="utf-8"), encoding="utf-8")
    command = [*compiler.split(), "-Wall", "-Wextra", "-pedantic", "-fsyntax-only", f"-I{folder}", "-Iruntime/include"]
    return subprocess.run([*command, "-"], input=_FILE % method, capture_output=True, text=True, check=False)


_COMPILERS = ("gcc -std=c11 -x c", "g++ -std=c++17 -x c++")


@pytest.mark.parametrize("compiler", _COMPILERS)
def test_header_compiles_without_warnings(compiler: str, tmp_path: Path) -> None:
    result = _compile(tmp_path, "decode", compiler)
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize("compiler", _COMPILERS)
def test_handle_of_another_method_does_not_compile(compiler: str, tmp_path: Path) -> None:
    result = _compile(tmp_path, "encode", compiler)
    assert result.returncode != 0
    assert result.stderr.count("error:") == 1
