"""Tests of decoding error codes."""

from pathlib import Path

import pytest

from tools.message_of_code import explain, file_number, main


def _write(folder: Path) -> Path:
    file = folder / "runtime" / "core" / "status_codes_test.c"
    file.parent.mkdir(parents=True)
    file.write_text('\n\n  return et_fail(error, ET_STATUS_NOT_FOUND,\n                 "a[%u]", index);\n')
    return folder


def test_a_file_has_the_number_that_the_compiler_gives_it() -> None:
    assert f"{file_number('runtime/core/status_codes_test.c'):04x}" == "9dbd"


def test_a_code_leads_to_its_line_and_index(tmp_path: Path) -> None:
    assert explain("9dbd:0003:00000011", _write(tmp_path)).splitlines() == [
        "runtime/core/status_codes_test.c:3, index 17",
        "    return et_fail(error, ET_STATUS_NOT_FOUND,",
        '    "a[%u]", index);',
    ]


def test_what_is_no_code_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for code, message in (
        ("17", "'17' is no code: "),
        ("0000:0001:00000000", "no source in runtime, kernels, backends"),
    ):
        with pytest.raises(ValueError, match=message):
            explain(code, _write(tmp_path / code[:2]))
    assert main(["x"]) == 1
    assert capsys.readouterr().err.startswith("message_of_code: 'x' is no code")


def test_runtime_sources_have_numbers_of_their_own() -> None:
    root = Path(__file__).parents[1]
    files = [
        path.relative_to(root).as_posix() for path in (root / "runtime").rglob("*.c") if "et_fail" in path.read_text()
    ]
    numbers = {file_number(path) for path in files if not path.endswith("_test.c")}
    assert len(numbers) == len([path for path in files if not path.endswith("_test.c")])
