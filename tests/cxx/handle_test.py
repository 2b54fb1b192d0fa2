"""Tests that generated headers compile, and reject handles of other methods."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

_TESTDATA = Path("rules/codegen/testdata")

_FILE = """
#include "app/codec_cc.h"
et_status call(codec_encode_method encode, codec_decode_method decode, const uint16_t **data, size_t *count,
               const int32_t **sizes, et_error *error);
et_status call(codec_encode_method encode, codec_decode_method decode, const uint16_t **data, size_t *count,
               const int32_t **sizes, et_error *error) {
  ET_RETURN_IF_ERROR(codec_encode_execute(encode, error));
  ET_RETURN_IF_ERROR(codec_encode_get_code(encode, data, count, sizes, error));
  return codec_decode_set_code(%s, *data, *count, *sizes, error);
}
"""


def _write_headers(folder: Path) -> None:
    for name in ("npu", "app"):
        (folder / name).mkdir()
    (folder / "npu/npu.h").write_text(
        "#define NPU_BYTES(n) (n)\ntypedef struct npu { int x; } npu;\n", encoding="utf-8"
    )
    for suffix in (".h", ".hpp"):
        text = (_TESTDATA / f"codec_embedded{suffix}.golden").read_text(encoding="utf-8")
        (folder / f"app/codec_cc{suffix}").write_text(text, encoding="utf-8")


def _compile(folder: Path, method: str, compiler: str) -> subprocess.CompletedProcess[str]:
    """Compile a call that sets an input of `decode` with the handle `method`."""
    _write_headers(folder)
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


_CPP_FILE = """
#include "app/codec_cc.hpp"
#include <vector>
executorch::Result<void> call(const std::vector<float> &pixels);
executorch::Result<void> call(const std::vector<float> &pixels) {
  auto codec = app::Codec::create();
  if (!codec) return codec.error();
  auto codes = codec->encode({%s});
  if (!codes) return codes.error();
  if (auto decoded = codec->decode({{codes->code.data(), codes->code.size(), codes->code.sizes()}, 1}); !decoded) {
    return decoded.error();
  }
  return {};
}
"""


@pytest.mark.parametrize(("standard", "inputs"), [("17", "pixels"), ("20", ".image = pixels")])
@pytest.mark.parametrize("flags", ["", "-fno-exceptions -fno-rtti"])
def test_cpp_header_compiles_without_warnings(standard: str, inputs: str, flags: str, tmp_path: Path) -> None:
    _write_headers(tmp_path)
    includes = (f"-I{tmp_path}", "-Iruntime/include", "-Ibindings/cc/include")
    command = ["g++", f"-std=c++{standard}", "-Wall", "-Wextra", "-Werror", "-pedantic", *flags.split(), *includes]
    result = subprocess.run(
        [*command, "-fsyntax-only", "-x", "c++", "-"],
        input=_CPP_FILE % inputs,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, "")
