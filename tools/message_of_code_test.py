"""Tests of decoding error codes."""

import os
from pathlib import Path

import pytest

from tools.message_of_code import explain, file_id, main

_SOURCE = "runtime/core/status.c"
_CODE = f"{file_id(_SOURCE):04x}:0003:00000011"


def _write(folder: Path) -> Path:
    file = folder / _SOURCE
    file.parent.mkdir(parents=True)
    file.write_text('\n\n  return et_fail(error, ET_STATUS_NOT_FOUND,\n                 "a[%u]", index);\n')
    return folder


def test_file_id_is_the_number_that_the_build_passes_to_the_compiler() -> None:
    assert file_id(_SOURCE) == int(os.environ["FILE_ID"])


def test_code_resolves_to_line_and_index(tmp_path: Path) -> None:
    assert explain(_CODE, _write(tmp_path)).splitlines() == [
        f"{_SOURCE}:3, index 17",
        "    return et_fail(error, ET_STATUS_NOT_FOUND,",
        '    "a[%u]", index);',
    ]


def test_code_of_a_workspace_resolves_with_root(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = "ops/soft_step.c"
    (tmp_path / "ops").mkdir()
    (tmp_path / path).write_text('\n  ET_CHECK(context, x > 0, "x is not above 0");\n')
    code = f"{file_id(path):04x}:0002:00000000"
    assert main(["--root", str(tmp_path), code]) == 0
    assert capsys.readouterr().out.startswith(f"{path}:2, index 0\n    ET_CHECK(context")


def test_invalid_codes_are_rejected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for code, message in (
        ("17", "'17' is not an error code; "),
        ("0000:0001:00000000", "the source was compiled without ET_FILE_ID"),
        ("0001:0001:00000000", "'0001:0001:00000000': no source in runtime, kernels, backends"),
    ):
        with pytest.raises(ValueError, match=message):
            explain(code, _write(tmp_path / code[:4]))
    assert main(["x"]) == 1
    assert capsys.readouterr().err.startswith("message_of_code: 'x' is not an error code")


def test_each_runtime_source_has_a_different_number() -> None:
    root = Path(__file__).parents[1]
    files = [
        path.relative_to(root).as_posix() for path in (root / "runtime").rglob("*.c") if "et_fail" in path.read_text()
    ]
    numbers = {file_id(path) for path in files if not path.endswith("_test.c")}
    assert len(numbers) == len([path for path in files if not path.endswith("_test.c")])
