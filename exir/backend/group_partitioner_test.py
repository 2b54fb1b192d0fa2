"""Tests that partitions keep groups together and stay acyclic."""

from collections.abc import Mapping
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.export import ExportedProgram, export
from torch.fx import GraphModule, Node
from torch.fx.passes.operator_support import OperatorSupportBase

from exir import to_edge
from exir.backend.group_partitioner import GroupBasedPartitioner
from exir.error import UserError


class _AllBut(OperatorSupportBase):
    def __init__(self, *names: str) -> None:
        self._names = names

    def is_node_supported(self, submodules: Mapping[str, Any], node: Node) -> bool:
        return node.op == "call_function" and not any(name in node.name for name in self._names)


class _BranchedNetwork(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        sine = torch.sin(x)
        return torch.cos(sine) + torch.tanh(torch.exp(sine))


def _graph_module() -> GraphModule:
    program: ExportedProgram = to_edge(export(_BranchedNetwork(), (torch.ones(3),))).exported_program()
    return program.graph_module


def _nodes_by_name(graph_module: GraphModule, *names: str) -> list[Node]:
    return [node for node in graph_module.graph.nodes if any(name in node.name for name in names)]


def _propose_partitions(
    support: OperatorSupportBase, *groups: tuple[str, ...], **options: Any
) -> list[list[str]]:
    graph_module = _graph_module()
    nodes = [_nodes_by_name(graph_module, *names) for names in groups]
    found = GroupBasedPartitioner(
        graph_module, support, node_groups=nodes, **options
    ).propose_partitions()
    return [[node.name.split("_")[1] for node in partition.nodes] for partition in found]


def test_supported_nodes_without_groups_form_one_partition() -> None:
    assert _propose_partitions(_AllBut()) == [["sin", "cos", "exp", "tanh", "add"]]


def test_unsupported_node_splits_its_surroundings() -> None:
    assert _propose_partitions(_AllBut("exp")) == [["sin", "cos"], ["tanh", "add"]]


def test_group_becomes_one_partition() -> None:
    assert _propose_partitions(_AllBut("exp"), ("cos", "add")) == [["cos", "tanh", "add"]]
    alone = _propose_partitions(_AllBut("exp"), ("cos", "add"), allows_single_node_partition=True)
    assert alone == [["sin"], ["cos", "tanh", "add"]]


def test_nodes_outside_all_groups_are_allowed() -> None:
    assert _propose_partitions(_AllBut(), ("sin",), ("cos",), ("exp",)) == [
        ["sin", "cos", "exp", "tanh", "add"]
    ]


def test_single_node_is_proposed_where_allowed() -> None:
    support = _AllBut("sin", "cos", "tanh", "add")
    assert _propose_partitions(support) == []
    assert _propose_partitions(support, allows_single_node_partition=True) == [["exp"]]
    name = torch.fx.node._get_qualified_name(_nodes_by_name(_graph_module(), "exp")[0].target)
    assert _propose_partitions(support, allowed_single_node_partition_ops=[name]) == [["exp"]]
    assert _propose_partitions(support, allows_single_node_partition=False, non_compute_ops=[name]) == []


def test_group_split_by_another_node_is_an_error() -> None:
    with pytest.raises(UserError, match="cannot form one partition, because nodes between them"):
        _propose_partitions(_AllBut("exp"), ("sin", "tanh"))


def test_a_node_in_two_groups_is_an_error() -> None:
    with pytest.raises(UserError, match="is in several groups"):
        _propose_partitions(_AllBut(), ("sin", "cos"), ("cos", "add"))
