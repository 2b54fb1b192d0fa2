"""Tests that a requested debug record contains every stage."""

import io
import json
import zipfile
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn
from torch.export import export

from backends.demo.compiler_demo import CompilerDemoPartitioner
from exir import to_edge, to_edge_transform_and_lower
from exir.debug.record import ETRecord, generate_etrecord
from exir.error import ConfigError
from exir.serde import SerializedArtifact, deserialize


class SinCos(nn.Module):
    """A model whose first half is delegated to the demo backend."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.cos(torch.sin(x) + x)


_X = torch.randn(2, 3)


def _record_contents(record: ETRecord) -> zipfile.ZipFile:
    file = io.BytesIO()
    record.save(file)
    return zipfile.ZipFile(file)


def test_record_contains_programs_and_maps_of_a_delegated_model() -> None:
    exported = export(SinCos(), (_X,))
    manager = to_edge_transform_and_lower(
        exported, partitioner=[CompilerDemoPartitioner()], generate_etrecord=True
    )
    program = manager.to_executorch()
    archive = _record_contents(program.get_etrecord())
    maps = json.loads(archive.read("debug_handle_map"))["forward"]
    (call,) = json.loads(archive.read("delegate_map"))["forward"]
    edge = _load_program(archive, "edge_dialect_exported_program/forward")
    known = {node.meta["debug_handle"] for node in edge.graph.nodes if node.op == "call_function"}
    assert set(maps[call]) < known
    assert all(handle in known for index, handle in maps.items() if index != call)
    assert json.loads(archive.read("instruction_id_to_num_outs_map")) == {"forward": {call: 1}}
    assert torch.equal(_load_program(archive, "exported_program").module()(_X), SinCos()(_X))


def test_debug_record_does_not_depend_on_the_machine() -> None:
    def record() -> bytes:
        manager = to_edge_transform_and_lower(export(SinCos(), (_X,)), generate_etrecord=True)
        file = io.BytesIO()
        manager.to_executorch().get_etrecord().save(file)
        return file.getvalue()

    first = record()
    kept = [SinCos() for _ in range(100)]  # the next graphs get different addresses
    assert record() == first and kept
    archive = zipfile.ZipFile(io.BytesIO(first))
    text = b"".join(archive.read(name) for name in archive.namelist())
    assert b'File \\"exir/debug/record_test.py\\", line' in text
    assert str(Path(__file__).parents[1]).encode() not in text
    assert archive.read("export_graph_id") == b"1" and b'graph_id\\": 1' in text


def _load_program(archive: zipfile.ZipFile, name: str) -> torch.export.ExportedProgram:
    parts = (name, f"{name}_state_dict", f"{name}_constants", f"{name}_example_inputs")
    return deserialize(SerializedArtifact(*map(archive.read, parts)))


def test_debug_record_can_be_built_from_stages() -> None:
    edge = to_edge({"first": export(SinCos(), (_X,)), "second": export(SinCos(), (_X,))})
    file = io.BytesIO()
    generate_etrecord(file, edge, edge.to_executorch(), extra_recorded_export_modules={"again": edge})
    names = zipfile.ZipFile(file).namelist()
    assert {"ETRECORD_V0", "edge_dialect_exported_program/second", "again/first"} <= set(names)
    assert "exported_program" not in names


def test_recorded_values_are_stored_next_to_the_programs() -> None:
    program = to_edge(export(SinCos(), (_X,)), generate_etrecord=True).to_executorch()
    record = program.get_etrecord()
    record.update_representative_inputs([_X])
    record.update_reference_outputs([SinCos()(_X)])
    archive = _record_contents(record)
    (inputs,) = torch.load(io.BytesIO(archive.read("representative_inputs")))
    outputs = torch.load(io.BytesIO(archive.read("reference_outputs")))
    assert torch.equal(inputs, _X) and torch.equal(outputs["forward"][0], SinCos()(_X))


def test_debug_record_is_only_written_on_request() -> None:
    with pytest.raises(ConfigError, match="generate_etrecord=True"):
        to_edge(export(SinCos(), (_X,))).to_executorch().get_etrecord()


def test_missing_or_repeated_entries_are_an_error() -> None:
    edge = to_edge(export(SinCos(), (_X,)))
    record = ETRecord()
    with pytest.raises(ConfigError, match="call 'add_edge_dialect_program'"):
        record.save(io.BytesIO())
    record.add_edge_dialect_program(edge)
    with pytest.raises(ConfigError, match="already has edge programs"):
        record.add_edge_dialect_program(edge)
    with pytest.raises(ConfigError, match="'my_delegate_map' is a reserved name"):
        record.add_extra_export_modules({"my_delegate_map": edge})


def test_debug_record_page_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = Path("docs/how_to/debug_record.md").read_text(encoding="utf-8")
    example = page.partition("```python\n")[2].partition("```")[0]
    monkeypatch.chdir(tmp_path)
    exec(example, {})
    assert zipfile.ZipFile("model.etrecord").read("ETRECORD_V0") == b""
    assert Path("model.pte").stat().st_size > 0
