"""Tests of the source locations of nodes."""

import sys
from pathlib import Path

import pytest

from exir.debug.source import frames_of, import_path, source_of
from exir.graph.control_flow import regions
from exir.testing import loop_cases, models
from exir.testing.graphs import calls


def test_source_is_the_user_line_not_torchs() -> None:
    source = source_of(calls(models.simple_conv().export())[1])
    assert source is not None
    assert source.file.endswith("exir/testing/models.py")
    assert source.code == "return torch.relu(self.conv(x))"
    assert str(source) == f"{source.file}:{source.line}"


def test_torch_frames_are_omitted() -> None:
    conv = calls(models.simple_conv().export())[0]
    assert "torch/nn" in conv.meta["stack_trace"]
    assert [frame.function for frame in frames_of(conv)] == ["forward"]


def test_loop_line_is_the_users_not_generated() -> None:
    (loop,) = (call for call in calls(loop_cases.CASES["mapofbatches"]().export()) if regions(call))
    assert "<eval_with_key>" in loop.meta["stack_trace"]
    source = source_of(loop)
    assert source is not None and "map_rows(lambda row" in source.code


def test_node_without_a_trace_has_no_source() -> None:
    node = models.simple_conv().export().graph.find_nodes(op="placeholder")[0]
    node.meta.pop("stack_trace", None)
    assert source_of(node) is None


def test_path_is_relative_to_the_longest_import_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = tmp_path / "inner"
    monkeypatch.setattr(sys, "path", [str(tmp_path), str(inner)])
    assert import_path(str(inner / "models" / "net.py")) == "models/net.py"


def test_path_outside_every_import_root_is_its_base_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", ["/somewhere"])
    assert import_path("/elsewhere/net.py") == "net.py"
