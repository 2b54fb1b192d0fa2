"""Tests that the official developer tools read our debug records."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import executorch.runtime  # noqa: F401  (before exir, which reuses the dim_order_ops registered here)
import pytest
import torch
from executorch.devtools import parse_etrecord
from executorch.devtools.inspector._inspector_utils import propagate_back_debug_handle
from torch import Tensor, nn
from torch.export import export

from backends.demo.compiler_demo import BackendWithCompilerDemo, CompilerDemoPartitioner
from exir.program import ExecutorchProgramManager, to_edge, to_edge_transform_and_lower
from exir.testing import models


class SinCos(nn.Module):
    """A model that runs partly on the demo backend."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.cos(torch.sin(x) + x)


def _parsed(program: ExecutorchProgramManager, folder: Path) -> Any:
    program.get_etrecord().save(folder / "model.etrecord")
    return parse_etrecord(str(folder / "model.etrecord"))


_EXAMPLES = {"mlp": models.mlp(), "conv_bn_relu": models.conv_bn_relu(), "kv_cache": models.kv_cache()}


@pytest.mark.parametrize("name", sorted(_EXAMPLES))
def test_official_tools_map_instructions_to_source_lines(name: str, tmp_path: Path) -> None:
    manager = to_edge(_EXAMPLES[name].export(), generate_etrecord=True)
    record = _parsed(manager.to_executorch(), tmp_path)
    ours = manager.exported_program().graph
    assert [node.name for node in record.edge_dialect_program.graph.nodes] == [node.name for node in ours.nodes]
    handles = {str(key): value for key, value in manager.to_executorch().debug_handle_map["forward"].items()}
    assert record._debug_handle_map == {"forward": handles}
    known = {node.meta.get("debug_handle") for node in record.edge_dialect_program.graph.nodes}
    assert set(handles.values()) <= known


def test_official_tools_map_debug_handles_to_the_exported_program(tmp_path: Path) -> None:
    record = _parsed(to_edge(models.conv_bn_relu().export(), generate_etrecord=True).to_executorch(), tmp_path)
    assert propagate_back_debug_handle(record.exported_program, record.export_graph_id, record.edge_dialect_program)


def test_official_tools_expand_delegate_calls(tmp_path: Path) -> None:
    exported = export(SinCos(), (torch.randn(2, 3),))
    manager = to_edge_transform_and_lower(exported, partitioner=[CompilerDemoPartitioner()], generate_etrecord=True)
    record = _parsed(manager.to_executorch(), tmp_path)
    ((index, entry),) = record._delegate_map["forward"].items()
    assert entry["name"] == BackendWithCompilerDemo.__name__
    names = {node.meta.get("debug_handle"): node.name for node in record.edge_dialect_program.graph.nodes}
    inside = {names[handle] for handles in entry["delegate_map"].values() for handle in handles}
    assert inside == {"aten_sin_default", "aten_add_tensor"}
    assert {names[handle] for handle in record._debug_handle_map["forward"][index]} == inside


def test_official_tools_read_a_targets_debug_record() -> None:
    record = parse_etrecord(os.environ["DEBUG_RECORD"])
    nodes = {node.meta.get("debug_handle") for node in record.edge_dialect_program.graph.nodes}
    for entry in record._delegate_map["forward"].values():
        assert entry["name"] == BackendWithCompilerDemo.__name__
        assert {handle for handles in entry["delegate_map"].values() for handle in handles} <= nodes
    assert record._delegate_map["forward"]
