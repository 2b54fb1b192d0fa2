"""Tests of the generic partitioners."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.export import ExportedProgram
from torch.fx import Graph, Node
from torch.fx.passes.operator_support import OperatorSupportBase, any_chain, chain

from exir import to_edge
from exir.backend.backend_details import BackendDetails, PreprocessResult
from exir.backend.canonical_partitioners import (
    AllNodePartitioner,
    ConfigerationBasedPartitioner,
    DontPartition,
    DontPartitionModule,
    DontPartitionName,
    PartitionerConfig,
    generate_grouped_partitions_from_list_of_nodes,
    generate_partitions_from_list_of_nodes,
    generate_pattern_op_partitions,
)
from exir.backend.compile_spec_schema import CompileSpec
from exir.backend.partitioner import DelegationSpec
from exir.backend.utils import get_non_lowered_nodes
from exir.delegate import delegate_calls, lowered_module_of
from exir.dialects._ops import ops
from exir.error import UserError

ADD, MUL, SIN = ops.edge.aten.add.Tensor, ops.edge.aten.mul.Tensor, ops.edge.aten.sin.default


class _CallCountBackend(BackendDetails):
    """A backend whose payload is the number of calls."""

    @staticmethod
    def preprocess(edge_program: ExportedProgram, compile_specs: list[CompileSpec]) -> PreprocessResult:
        return PreprocessResult(
            str(len([n for n in edge_program.graph.nodes if n.op == "call_function"])).encode()
        )


class _SplitNetwork(nn.Module):
    """Adds and multiplies, with a sine in between that splits the partition."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(4))

    def forward(self, x: Tensor) -> Tensor:
        return torch.sin(x * self.weight + x) * x + x


def _to_edge_program() -> Any:
    return to_edge(torch.export.export(_SplitNetwork(), (torch.randn(4),)))


def _count_calls(program: ExportedProgram, *targets: Any) -> list[Node]:
    return [node for node in program.graph.nodes if node.target in targets]


class _TargetSupport(OperatorSupportBase):
    def __init__(self, *targets: Any) -> None:
        self._targets = targets

    def is_node_supported(self, submodules: Any, node: Node) -> bool:
        return node.target in self._targets


def test_all_nodes_become_one_delegate_with_its_constants() -> None:
    lowered = (
        _to_edge_program()
        .to_backend(AllNodePartitioner("_CallCountBackend", [CompileSpec("k", b"v")]))
        .exported_program()
    )
    (call,) = delegate_calls(lowered.graph)
    module = lowered_module_of(call)
    assert (module.processed_bytes, module.compile_specs) == (b"5", [CompileSpec("k", b"v")])
    assert not get_non_lowered_nodes(lowered.graph)
    assert not lowered.state_dict


def test_supported_nodes_form_the_largest_acyclic_partitions() -> None:
    program = _to_edge_program().exported_program()
    found = generate_partitions_from_list_of_nodes(
        program.graph_module, op_support=_TargetSupport(ADD, MUL)
    )
    assert sorted(len(partition.nodes) for partition in found) == [2, 2]


def test_listed_nodes_extend_operator_support() -> None:
    program = _to_edge_program().exported_program()
    found = generate_partitions_from_list_of_nodes(
        program.graph_module, [_count_calls(program, SIN)], op_support=_TargetSupport(ADD, MUL)
    )
    assert [len(partition.nodes) for partition in found] == [5]


def test_group_that_cannot_be_one_partition_is_refused() -> None:
    program = _to_edge_program().exported_program()
    together = generate_grouped_partitions_from_list_of_nodes(
        program.graph_module, [_count_calls(program, ADD, MUL, SIN)]
    )
    assert len(together) == 1
    with pytest.raises(UserError, match="cannot form one partition"):
        generate_grouped_partitions_from_list_of_nodes(
            program.graph_module, [_count_calls(program, ADD)]
        )


def _sine_multiplied() -> Graph:
    graph = Graph()
    x, y = graph.placeholder("x"), graph.placeholder("y")
    graph.output(graph.call_function(MUL, (graph.call_function(SIN, (x,)), y)))
    return graph


def test_pattern_matches_are_proposed() -> None:
    program = _to_edge_program().exported_program()
    (found,) = generate_pattern_op_partitions(program.graph_module, [_sine_multiplied()])
    assert {node.target for node in found.nodes} == {SIN, MUL}


class _AddConfig(PartitionerConfig):
    target_name = "add"

    def check_constraints(self, node: Node, ep: ExportedProgram) -> bool:
        return True

    def get_node_and_deps(self, node: Node, ep: ExportedProgram) -> list[Node]:
        return [node]

    def get_original_aten(self) -> Any:
        return torch.ops.aten.add.Tensor


class _MulConfig(_AddConfig):
    target_name = "mul"

    def check_constraints(self, node: Node, ep: ExportedProgram) -> bool:
        return False


def test_configurations_choose_calls_by_name_and_constraint() -> None:
    partitioner = ConfigerationBasedPartitioner(
        DelegationSpec("_CallCountBackend", []), [_AddConfig, _MulConfig]
    )
    lowered = _to_edge_program().to_backend(partitioner).exported_program()
    assert [lowered_module_of(call).processed_bytes for call in delegate_calls(lowered.graph)] == [
        b"1",
        b"1",
    ]
    preserved, _ = partitioner.ops_to_not_decompose(lowered)
    assert preserved == [torch.ops.aten.add.Tensor] * 2


def test_excluded_nodes_are_named_by_target_name_or_module() -> None:
    program = _to_edge_program().exported_program()
    (sine,) = _count_calls(program, SIN)
    assert not DontPartition(SIN).is_node_supported({}, sine)
    assert DontPartition(ADD).is_node_supported({}, sine)
    assert not DontPartitionName(sine.name).is_node_supported({}, sine)
    assert DontPartitionName("other").is_node_supported({}, sine)
    inner = to_edge(
        torch.export.export(nn.Sequential(_SplitNetwork()), (torch.randn(4),))
    ).exported_program()
    (sine,) = _count_calls(inner, SIN)
    assert not DontPartitionModule(instance_names=["0"]).is_node_supported({}, sine)
    assert DontPartitionModule(instance_names=["1"]).is_node_supported({}, sine)
    support = chain(any_chain(_TargetSupport(SIN, ADD)), DontPartition(ADD))
    assert support.is_node_supported({}, sine)
