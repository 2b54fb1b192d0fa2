"""Tests of compile_objects.sh, which compiles several sources with one command."""

import subprocess
from pathlib import Path

_SCRIPT = Path(__file__).with_name("compile_objects.sh")

# A fake compiler for `FLAGS -DET_FILE_ID=NUMBER -c SOURCE -o OBJECT`: writes the flags to the
# object, and rejects wrong.c.
_COMPILER = """\
#!/bin/sh
[ "$4" != wrong.c ] || { echo "wrong.c: error" >&2; exit 1; }
echo "$1 $2" >"$6"
"""


def _compile_sources(folder: Path, sources: list[str]) -> subprocess.CompletedProcess[str]:
    compiler = folder / "compiler"
    compiler.write_text(_COMPILER)
    compiler.chmod(0o755)
    lines = "".join(f"{source}\n{source}.o\n{number}\n" for number, source in enumerate(sources))
    (folder / "list").write_text(lines)
    return subprocess.run(
        [str(_SCRIPT), "list", "./compiler", "-a b"], cwd=folder, capture_output=True, text=True, check=False
    )


def test_each_source_compiles_to_an_object_with_a_file_number(tmp_path: Path) -> None:
    assert _compile_sources(tmp_path, ["one.c", "two.c"]).returncode == 0
    assert [(tmp_path / name).read_text() for name in ("one.c.o", "two.c.o")] == [
        "-a b -DET_FILE_ID=0\n",
        "-a b -DET_FILE_ID=1\n",
    ]


def test_errors_of_all_sources_are_printed(tmp_path: Path) -> None:
    result = _compile_sources(tmp_path, ["wrong.c", "one.c", "wrong.c"])
    assert result.returncode == 1
    assert result.stderr == "wrong.c: error\nwrong.c: error\n"
    assert (tmp_path / "one.c.o").exists()
