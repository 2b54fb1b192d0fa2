"""Tests of a program's page: self-contained, escaped, with related files."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from executorch_report.facts import read_program
from executorch_report.html.page import page
from executorch_report.html.record import Record, read_record
from executorch_report.inspect_program import main

_FIXTURES = Path("tests/fixtures")
_VOID = {"meta", "br"}


class _Balance(HTMLParser):
    """A parser that records tags closed in the wrong order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.faults: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.faults.append(tag)


def _parsed(text: str) -> _Balance:
    parser = _Balance()
    parser.feed(text)
    return parser


@pytest.mark.parametrize("path", sorted(_FIXTURES.glob("*.pte")), ids=lambda path: path.stem)
def test_every_official_program_has_a_page(path: Path) -> None:
    text = page(Record(read_program(path)))
    parsed = _parsed(text)
    assert parsed.faults == [] and parsed.open == []
    assert parsed.links == [] and "http" not in text.replace("http-equiv", "")
    assert len(text) < 2_000_000


def _record(tmp_path: Path) -> Record:
    """Make a record of dyn_mlp.pte, with files as the tools write them."""
    module = ["0", "0", "1", "norm.inner", "norm.inner", "2"]
    nodes = [[{"operator": "op", "module": name, "source": f"net.py:{i}"}] for i, name in enumerate(module)]
    spans = [{"ts": 1e4 * i, "dur": 1000.0 * (i + 1), "args": {"instruction": i}} for i in range(6)]
    left = [{"backend": "Cpu", "operator": "aten::gelu", "source": "net.py:2", "reason": "is <b>odd</b>"}]
    memory = {"lower_bound_bytes": 4352, "scratch": ["64u", "128000u"]}
    manifest = {
        "target": "//net:net_pte",
        "methods": [{"name": "forward", "memory": memory, "not_delegated": left}],
        "quantization": {
            "recipe": "static_int8",
            "methods": [
                {
                    "name": "forward",
                    "quantized": [{"module": "0", "operator": "linear", "source": "net.py:0"}],
                    "float": [{"module": "1", "operator": "gelu", "source": "net.py:2", "reason": "no form"}],
                }
            ],
        },
    }
    files = {"manifest": manifest, "sources": {"methods": {"forward": nodes}}, "trace": {"traceEvents": spans}}
    for name, content in files.items():
        (tmp_path / name).write_text(json.dumps(content))
    return read_record(_FIXTURES / "dyn_mlp.pte", *(tmp_path / name for name in files))


def test_companion_files_appear_on_the_page(tmp_path: Path) -> None:
    text = page(_record(tmp_path))
    assert "<h1>//net:net_pte</h1>" in text
    assert "net.py:3" in text and "Recipe static_int8." in text
    assert "is &lt;b&gt;odd&lt;/b&gt;" in text and "<b>odd</b>" not in text
    assert "Lower bound of any plan: 4,352" in text
    assert "21.000 ms" in text  # 1 + 2 + ... + 6
    assert "<b>128 kB</b><span>scratch memory</span>" in text


def test_size_known_only_to_the_c_compiler_is_omitted(tmp_path: Path) -> None:
    record = _record(tmp_path)
    record.manifest["methods"][0]["memory"]["scratch"].append("sizeof(npu)")
    assert "scratch memory" not in page(record)


def test_modules_are_collapsed_in_program_order(tmp_path: Path) -> None:
    text = page(_record(tmp_path))
    tree = text[text.index('<div class="tree">') :]
    names = re.findall(r"<summary><b>([^<]*)</b> <span[^>]*>([^<]*)</span>", tree)
    assert [name for name, _ in names] == ["forward", "0", "1", "norm", "inner", "2"]
    assert names[0][1] == "6 instructions, 21.000 ms" and names[3][1] == "2 instructions, 9.000 ms"


def test_memory_chart_shows_every_planned_tensor() -> None:
    facts = read_program(_FIXTURES / "dyn_mlp.pte")
    text = page(Record(facts))
    (buffer,) = facts.methods[0].planned
    assert len(re.findall("<rect ", text)) == sum(block.nbytes > 0 for block in buffer.blocks)
    assert f" bytes at instruction {buffer.peak_at} (" in text


def test_page_command_writes_the_page(tmp_path: Path) -> None:
    out = tmp_path / "net.html"
    assert main([str(_FIXTURES / "dyn_mlp.pte"), "--html", str(out)]) == 0
    assert out.read_text().startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("content", ["{", "[]", "{}"])
def test_invalid_companion_files_are_named(content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "sources.json"
    other.write_text(content)
    arguments = [str(_FIXTURES / "dyn_mlp.pte"), "--html", str(tmp_path / "out.html"), "--sources", str(other)]
    assert main(arguments) == 1
    assert str(other) in capsys.readouterr().err


def test_methods_costs_are_shown_side_by_side() -> None:
    text = page(Record(read_program(_FIXTURES / "multi_state_shared.pte")))
    summary = text[text.index('id="summary"') : text.index('id="operators-')]
    names = [method.name for method in read_program(_FIXTURES / "multi_state_shared.pte").methods]
    assert "".join(f"<th>{name}</th>" for name in ["", *names]) in summary
    assert re.findall(r'class="card"><b>([^<]*)</b><span>([^<]*)</span>', summary)[1:] == [(str(len(names)), "methods")]


def test_equal_tensors_of_an_instruction_are_counted() -> None:
    facts = read_program(_FIXTURES / "dyn_mlp.pte")
    (method,) = facts.methods
    first = replace(method.instructions[0], tensors=("int64[1]", *("float32[2, 3]",) * 60, "int64[1]"))
    changed = replace(facts, methods=(replace(method, instructions=(first, *method.instructions[1:])),))
    assert "<td>int64[1] 60 x float32[2, 3] int64[1]</td>" in page(Record(changed))


def test_long_list_of_live_tensors_is_collapsed() -> None:
    facts = read_program(_FIXTURES / "dyn_mlp.pte")
    (method,) = facts.methods
    (buffer,) = method.planned
    alive = next(block for block in buffer.blocks if block.first <= buffer.peak_at <= block.last)
    for more, opening in ((0, "<details open>"), (21, "<details>")):
        longer = replace(buffer, blocks=(*buffer.blocks, *(alive,) * more))
        text = page(Record(replace(facts, methods=(replace(method, planned=(longer,)),))))
        assert re.search(rf"{opening}<summary>\d+ tensors alive at the peak</summary>", text)


def test_delegate_ops_are_listed_by_time(tmp_path: Path) -> None:
    facts = read_program(_FIXTURES / "dyn_mlp_xnn.pte")
    called = [instruction.index for instruction in facts.methods[0].instructions if instruction.delegate is not None]
    spans = [
        {"name": "XnnpackBackend", "ts": 0.0, "dur": 100.0, "args": {"instruction": called[0]}},
        {"name": "clamp", "ts": 1.0, "dur": 10.0, "args": {"step": 0}},
        {"name": "linear", "ts": 11.0, "dur": 70.0, "args": {"step": 1}},
        {"name": "clamp", "ts": 81.0, "dur": 15.0, "args": {"step": 2}},
        {"name": "XnnpackBackend", "ts": 200.0, "dur": 50.0, "args": {"instruction": called[1]}},
        {"name": "clamp", "ts": 201.0, "dur": 40.0, "args": {"step": 0}},
    ]
    (tmp_path / "trace").write_text(json.dumps({"traceEvents": spans}))
    text = page(read_record(_FIXTURES / "dyn_mlp_xnn.pte", None, None, tmp_path / "trace"))
    first, second = text.split("<h3>")[-2:]
    assert re.findall(r"<td>(\w+)</td><td[^>]*>(\d)</td><td[^>]*>([\d.]+)</td>", first) == [
        ("linear", "1", "0.070"),
        ("clamp", "2", "0.025"),
    ]
    assert re.findall(r"<td>(\w+)</td><td[^>]*>(\d)</td><td[^>]*>([\d.]+)</td>", second) == [("clamp", "1", "0.040")]
