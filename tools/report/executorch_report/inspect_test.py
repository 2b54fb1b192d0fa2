"""Tests of reports about valid and damaged programs."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from pathlib import Path

import pytest

from executorch_report.facts import program_facts, read_program
from executorch_report.inspect_program import main
from executorch_report.memory import alive_at
from executorch_report.segments import Segment, segments_of
from executorch_report.text import program_text
from exir.base_error import InvalidProgramError

_FIXTURES = Path("tests/fixtures")
_PROGRAMS = sorted(_FIXTURES.glob("*.pte"))


def test_program_without_a_header_is_one_segment() -> None:
    (whole,) = segments_of(bytes(64))
    assert (whole.offset, whole.nbytes, whole.is_named_data) == (0, 64, False)


@pytest.mark.parametrize("path", _PROGRAMS, ids=lambda path: path.stem)
def test_every_official_program_is_described(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(path)]) == 0
    text = capsys.readouterr().out
    assert main([str(path), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert text.startswith(f"{path.name}: {path.stat().st_size:,} bytes")
    assert document["bytes"] == path.stat().st_size
    for method in document["methods"]:
        assert f"method {method['name']}: {len(method['instructions']):,} instruction" in text
        assert all(operator["name"] in text for operator in method["operators"])
        assert all(buffer["peak_bytes"] <= buffer["bytes"] for buffer in method["memory"])


def test_reported_facts_match_the_program() -> None:
    facts = read_program(_FIXTURES / "dyn_mlp.pte")
    (method,) = facts.methods
    assert method.operators == {
        ("aten::addmm.out", ("float32",)): 2,
        ("aten::gelu.out", ("float32",)): 1,
        ("aten::native_layer_norm.out", ("float32",)): 1,
        ("aten::permute_copy.out", ("float32",)): 2,
    }
    assert [buffer.nbytes for buffer in method.planned] == [4352]
    assert len(method.weights) == 6 and sum(weight.nbytes for weight in method.weights) == 976
    assert method.instructions[1].tensors == ("float32[16]", "float32[32, 8]", "float32[8, 16]", "float32[32, 16]")


def test_sections_cover_the_file() -> None:
    facts = read_program(_FIXTURES / "mlp_xnn_seg_align4096.pte")
    ends = [part.offset + part.nbytes for part in facts.segments]
    assert all(end <= later.offset for end, later in zip(ends, facts.segments[1:])) and ends[-1] <= facts.nbytes
    assert "delegates[0] of 'forward' (XnnpackBackend)" in [part.what for part in facts.segments]


def test_largest_named_data_entries_are_listed() -> None:
    facts = read_program(_FIXTURES / "dyn_mlp.pte")
    named = tuple((f"key{index}", index) for index in range(40))
    parts = (*facts.segments, *(Segment(f"named data '{key}'", 9000, size, True) for key, size in named))
    text = program_text(replace(facts, named=named, segments=parts))
    assert "  and 40 parts of named data, 780 bytes\n" in text and "named data 'key" not in text
    listed = text[text.index("named data: 40, 780 bytes\n") : text.index("  and 28 more\n")]
    assert re.findall(r"key\d+", listed) == [f"key{index}" for index in range(39, 27, -1)]


def test_peak_is_live_memory_at_its_instruction() -> None:
    (method,) = read_program(_FIXTURES / "dyn_mlp.pte").methods
    (buffer,) = method.planned
    alive = alive_at(buffer, buffer.peak_at)
    assert sum(-(-block.nbytes // 16) * 16 for block in alive) == buffer.peak
    others = [sum(b.nbytes for b in buffer.blocks if b.first <= step <= b.last) for step in range(6)]
    assert max(others) <= buffer.peak


def test_state_is_always_live() -> None:
    get, _ = read_program(_FIXTURES / "multi_state_shared.pte").methods
    state = get.planned[1]
    assert (state.memory_id, get.shared_memory_id) == (2, 2)
    assert [(block.first, block.last) for block in state.blocks] == [(0, 3)]


def test_values_that_share_bytes_count_once() -> None:
    (method,) = read_program(_FIXTURES / "tut10_cfg_greedy.pte").methods
    assert all(buffer.peak <= buffer.nbytes for buffer in method.planned)


@pytest.mark.parametrize("cut", [0, 4, 7, 8, 31, 60, 100, 500, 1000])
def test_inspect_rejects_a_truncated_file(cut: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "net.pte"
    path.write_bytes((_FIXTURES / "tut02_basic_add.pte").read_bytes()[:cut])
    assert main([str(path)]) == 1
    captured = capsys.readouterr()
    remedy = "  export or download it again"
    message = rf"executorch_inspect: {re.escape(str(path))}: .+\n{remedy}\n"
    assert captured.out == "" and re.fullmatch(message, captured.err)


def test_inspect_names_a_missing_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nowhere.pte"]) == 1
    assert capsys.readouterr().err == "executorch_inspect: nowhere.pte: No such file or directory\n"


@pytest.mark.parametrize(
    "name", ["dyn_mlp", "control_flow_map", "dyn_mlp_xnn", "multi_state_shared", "tut08_partitioner_demo"]
)
def test_damaged_programs_are_described_or_refused(name: str) -> None:
    original = (_FIXTURES / f"{name}.pte").read_bytes()
    generator = random.Random(name)
    refused = 0
    for _ in range(300):
        data = bytearray(original)
        for _ in range(generator.randint(1, 8)):
            data[generator.randrange(len(data))] = generator.choice((0, 1, 127, 128, 255, generator.randrange(256)))
        refused += _is_refused(bytes(data))
    assert 30 < refused < 300


def _is_refused(data: bytes) -> bool:
    from executorch_report.document import program_document
    from executorch_report.text import program_text

    try:
        facts = program_facts("damaged.pte", data)
    except InvalidProgramError:
        return True
    assert program_text(facts) and program_document(facts)
    return False


def test_shared_planned_memory_is_marked() -> None:
    text = program_text(read_program(_FIXTURES / "multi_state_shared.pte"))
    assert "planned memory 1: 112 bytes; peak" in text
    assert "planned memory 2: 16 bytes, shared with other methods; peak" in text


def test_columns_of_integers_are_right_aligned() -> None:
    text = program_text(read_program(_FIXTURES / "dyn_mlp.pte"))
    assert "\n  operator                     dtypes   calls\n  aten::addmm.out              float32      2\n" in text


def test_outputs_without_a_shape_are_described_by_kind() -> None:
    text = program_text(read_program(_FIXTURES / "tut11_constant_methods.pte"))
    assert re.findall(r"^  0  (\w+)$", text, re.MULTILINE) == ["Int", "String", "Double", "Bool", "Int"]
