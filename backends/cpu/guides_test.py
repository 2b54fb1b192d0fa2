"""Tests that code in the contributor guides matches the sources, and runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

_PAGE = Path("docs/how_to/add_a_cpu_op.md")
_FILES = [
    "backends/cpu/compiler/lower/scattering.py",
    "backends/cpu/ops/scatter_add.c",
    "backends/cpu/ops/scatter_add_test.c",
    "backends/cpu/schema/indexing.py",
]


def _blocks() -> dict[str, str]:
    """Return the code of each block, by the comment in its first line."""
    page = _PAGE.read_text(encoding="utf-8")
    found = re.findall(r"^```(?:c|python)\n(?:# ([^\n]*)|/\* ([^\n]*) \*/)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    return {python or c: code for python, c, code in found}


@pytest.mark.parametrize("path", _FILES)
def test_guide_shows_the_files_of_the_op(path: str) -> None:
    content, blocks = Path(path).read_text(encoding="utf-8"), _blocks()
    if path in blocks:
        assert blocks[path] == content
    else:
        assert blocks[f"{path}, in part"] in content


def test_guide_shows_all_hand_written_files_of_the_op() -> None:
    # Python tests cover several ops in one file, and Bazel does not add them to `sources`.
    generated = {"backends/cpu/PAYLOAD.md", "backends/cpu/ops.bzl", "backends/cpu/schema/scatter_add.h"}
    sources = (path for path in Path("backends/cpu").rglob("*") if path.suffix in (".bzl", ".c", ".h", ".md", ".py"))
    sources = (path for path in sources if not path.name.endswith("_test.py"))
    users = {str(path) for path in sources if re.search("scatter_add|ScatterAdd", path.read_text(encoding="utf-8"))}
    assert users - generated == set(_FILES)


def test_files_in_the_guide_mention_every_instruction_set() -> None:
    page = Path("docs/how_to/add_an_instruction_set.md").read_text(encoding="utf-8")
    files = re.findall(r"^\|.*\| `(\w+/[\w.]+)` \|", page, re.MULTILINE)
    flags = Path("backends/cpu/microkernels/variants.bzl").read_text(encoding="utf-8").partition("_ISA_COPTS = {")[2]
    names = re.findall(r'^    "(\w+)": \[', flags.partition("\n}")[0], re.MULTILINE)
    assert len(files) == 5 and "avx512" in names
    for file in files:
        found = set(
            re.findall(r'"(\w+)"|ET_CPU_(?:ISA_)?([A-Z0-9_]+)\b', Path("backends/cpu", file).read_text("utf-8"))
        )
        assert set(names) <= {(text or macro).lower() for text, macro in found}, file


def test_latency_script_of_the_guide_runs(capsys: pytest.CaptureFixture[str]) -> None:
    script = _blocks()["scatter_add_latency.py"]
    exec(compile(script, "scatter_add_latency.py", "exec"), {"__name__": "scatter_add_latency"})
    assert re.fullmatch(r"portable: [\d.]+ ms, cpu: [\d.]+ ms\n", capsys.readouterr().out)
