"""Test the headers that are written for the texts of sources."""

import re
from pathlib import Path

import pytest

from runtime.packing.write import main

_INCLUDES = '#include "runtime/core/packing.h"\n'


def _written(folder: Path, **sources: str) -> tuple[str, str]:
    """Write headers for sources, given by name and content, and return both."""
    paths = [folder / f"{name}.c" for name in sources]
    for path, content in zip(paths, sources.values(), strict=True):
        path.write_text(content, encoding="utf-8")
    headers = [folder / "ids.h", folder / "table.h"]
    assert main([str(path) for path in (*headers, *paths)]) == 0
    ids, table = (path.read_text(encoding="utf-8") for path in headers)
    return ids, table


def _numbers(ids: str) -> dict[str, int]:
    return {text: int(number) for text, number in re.findall(r'ET_PACKED_IF\(text, "(.*)", (\d+)\)', ids)}


def test_a_text_has_its_number_whoever_says_it_and_names_come_last(tmp_path: Path) -> None:
    ids, _ = _written(
        tmp_path,
        b=_INCLUDES + 'et_fail(e, s, "b"); ET_SAYS("a")',
        a=_INCLUDES + 'X(version) X(inputs) ET_SAYS("c") ET_SAYS("a") ET_SAYS("inputs")',
    )
    assert _numbers(ids) == {"c": 1, "a": 2, "b": 3, "version": 4, "inputs": 5}
    assert "#define ET_PACKED_COUNT 6\n" in ids
    assert "#define ET_PACKED_FIRST_NAME 4\n" in ids
    assert "#define ET_PACKED_NAME_inputs 1\n" in ids


def test_sources_that_do_not_pack_stay_out(tmp_path: Path) -> None:
    ids, _ = _written(tmp_path, delegates='et_fail(e, s, "b")')
    assert _numbers(ids) == {}


def test_tests_of_the_core_stay_out(tmp_path: Path) -> None:
    ids, _ = _written(tmp_path, packing_test=_INCLUDES + 'ET_SAYS("b")')
    assert _numbers(ids) == {}


def test_the_table_says_how_long_the_alphabet_is_and_ends_each_text(tmp_path: Path) -> None:
    _, table = _written(tmp_path, a=_INCLUDES + 'ET_SAYS("ab")')
    alphabet, texts = (
        [int(each) for each in re.findall(r"\d+", re.search(rf"{name}\[\] = {{(.*?)}}", table, re.DOTALL)[1])]  # type: ignore[index]
        for name in ("et_packed_alphabet", "et_packed_texts")
    )
    assert bytes(alphabet[symbol] for symbol in texts) == b"(null)\0ab\0"


def test_the_order_in_which_sources_are_given_does_not_count(tmp_path: Path) -> None:
    sources = {"a": _INCLUDES + 'ET_SAYS("1")', "b": _INCLUDES + 'ET_SAYS("2")'}
    assert _written(tmp_path, **sources) == _written(tmp_path, **dict(reversed(sources.items())))


def test_what_messages_cannot_have_is_told_with_its_source(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "a.c"
    source.write_text(_INCLUDES + r'ET_SAYS("\t")', encoding="utf-8")
    assert main([str(tmp_path / "ids.h"), str(tmp_path / "table.h"), str(source)]) == 1
    assert capsys.readouterr().err.startswith(f"runtime.packing.write: {source}: a message has \\t")
