"""Partitioners, and what proposes partitions, that need no code of a backend's own but its choice of nodes."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import Graph, GraphModule, Node
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner, Partition
from torch.fx.passes.operator_support import OperatorSupportBase, any_chain
from torch.fx.passes.utils.matcher_utils import SubgraphMatcher

from exir.backend.compile_spec_schema import CompileSpec
from exir.backend.partitioner import DelegationSpec, Partitioner, PartitionResult
from exir.backend.tags import tag_constant_data, tag_nodes
from exir.dialects.edge import to_torch_overload
from exir.error import UserError


class AllNodePartitioner(Partitioner):
    """Gives a whole program to a backend: its constants go with it, its inputs stay."""

    def __init__(self, backend_id: str, compile_specs: Sequence[CompileSpec]) -> None:
        self.backend_id = backend_id
        self.compile_specs = list(compile_specs)

    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        """One partition, `tag0`, of every node that is no input and no output."""
        nodes = [
            each for each in exported_program.graph.nodes if each.op not in ("placeholder", "output")
        ]
        tag_nodes(nodes, "tag0")
        tag_constant_data(exported_program)
        return PartitionResult(
            exported_program, {"tag0": DelegationSpec(self.backend_id, self.compile_specs)}
        )


class _Listed(OperatorSupportBase):
    """Supports the nodes that it is given."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        self._nodes = frozenset(nodes)

    def is_node_supported(self, submodules: Mapping[str, torch.nn.Module], node: Node) -> bool:
        return node in self._nodes


def generate_partitions_from_list_of_nodes(
    graph_module: GraphModule,
    pattern_list: Sequence[Sequence[Node]] | None = None,
    op_support: OperatorSupportBase | None = None,
) -> list[Partition]:
    """The largest partitions without cycles of the nodes in `pattern_list`, and of those that `op_support` takes."""
    listed = _Listed(node for group in pattern_list or () for node in group)
    support = listed if op_support is None else any_chain(op_support, listed)
    return _partitions(graph_module, support)


def generate_grouped_partitions_from_list_of_nodes(
    graph_module: GraphModule,
    pattern_list: Sequence[Sequence[Node]] | None = None,
    op_support: OperatorSupportBase | None = None,
) -> list[Partition]:
    """As `generate_partitions_from_list_of_nodes`, and a group of `pattern_list` is never torn apart."""
    found = generate_partitions_from_list_of_nodes(graph_module, pattern_list, op_support)
    home = {node: partition for partition in found for node in partition.nodes}
    for group in pattern_list or ():
        if len({id(home[node]) for node in group}) > 1:
            raise UserError(
                f"the nodes {', '.join(node.name for node in group)} cannot be one partition"
            )
    return found


def generate_pattern_op_partitions(
    graph_module: GraphModule,
    patterns: Sequence[Graph] | None = None,
    partitions_list: Sequence[Sequence[Node]] | None = None,
    op_support: OperatorSupportBase | None = None,
    ignore_literals: bool = False,
) -> list[Partition]:
    """Partitions of what matches `patterns`, what is listed, and what `op_support` takes."""
    listed = [list(group) for group in partitions_list or ()]
    for pattern in patterns or ():
        listed += _matches(graph_module, pattern, ignore_literals)
    return generate_partitions_from_list_of_nodes(graph_module, listed, op_support)


def _matches(graph_module: GraphModule, pattern: Graph, ignore_literals: bool) -> list[list[Node]]:
    matcher = SubgraphMatcher(
        pattern, match_output=False, match_placeholder=False, ignore_literals=ignore_literals
    )
    return [
        [node for of, node in match.nodes_map.items() if of.op == "call_function"]
        for match in matcher.match(graph_module.graph)
    ]


def _partitions(graph_module: GraphModule, support: OperatorSupportBase) -> list[Partition]:
    return CapabilityBasedPartitioner(
        graph_module, support, allows_single_node_partition=True
    ).propose_partitions()


class PartitionerConfig:
    """What a backend takes of one operator; a subclass, or an object of it, for each operator.

    target_name: the operator's name without its overload, such as `add`.
    """

    target_name: str = ""

    def check_constraints(self, node: Node, ep: ExportedProgram) -> bool:
        """Whether the backend takes this call."""
        raise NotImplementedError

    def get_node_and_deps(self, node: Node, ep: ExportedProgram) -> list[Node]:
        """The call with the nodes that must be delegated with it."""
        raise NotImplementedError

    def get_original_aten(self) -> Any:
        """The ATen operator to keep whole until the partitioner has run, or None."""
        return None

    def get_partition(self, node: Node, ep: ExportedProgram) -> list[Node]:
        """The nodes to delegate for this call; none where its constraints do not hold."""
        return self.get_node_and_deps(node, ep) if self.check_constraints(node, ep) else []


class ConfigerationBasedPartitioner(Partitioner):
    """Delegates what a list of configurations takes."""

    def __init__(
        self,
        delegation_spec: DelegationSpec,
        partitioner_configs: "Iterable[type[PartitionerConfig] | PartitionerConfig]",
    ) -> None:
        self.delegation_spec = delegation_spec
        configs = [each() if isinstance(each, type) else each for each in partitioner_configs]
        self.target_partitioner_configs = {config.target_name: config for config in configs}

    def ops_to_not_decompose(self, ep: ExportedProgram) -> tuple[list[Any], None]:
        """The operators that the configurations want whole."""
        wanted = (config.get_original_aten() for config in self.target_partitioner_configs.values())
        return [op for op in wanted if op is not None], None

    def get_matched_nodes_from_configs(self, ep: ExportedProgram) -> list[list[Node]]:
        """The nodes of every call that a configuration takes."""
        groups = []
        for node in ep.graph.nodes:
            config = self.target_partitioner_configs.get(format_target_name(node))
            groups.append(config.get_partition(node, ep) if config else [])
        return [group for group in groups if group]

    def generate_partitions(self, ep: ExportedProgram) -> list[Partition]:
        """The partitions of those nodes."""
        return generate_partitions_from_list_of_nodes(
            ep.graph_module, self.get_matched_nodes_from_configs(ep)
        )

    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        """Tags `tag0`, `tag1`, …"""
        tags = {}
        for index, partition in enumerate(self.generate_partitions(exported_program)):
            tag_nodes(list(partition.nodes), f"tag{index}")
            tags[f"tag{index}"] = self.delegation_spec
        tag_constant_data(exported_program)
        return PartitionResult(exported_program, tags)


def format_target_name(node: Node) -> str:
    """`add` for a call of `aten::add.Tensor`."""
    op = to_torch_overload(node.target) if node.op == "call_function" else None
    return op._schema.name.partition("::")[2] if op is not None else str(node.target)


class DontPartition(OperatorSupportBase):
    """Takes every node but those whose targets it is given."""

    def __init__(self, *targets: Any) -> None:
        self._targets = frozenset(targets)

    def is_node_supported(self, submodules: Mapping[str, torch.nn.Module], node: Node) -> bool:
        """Whether the node's target is none of them."""
        return node.target not in self._targets


class DontPartitionName(OperatorSupportBase):
    """Takes every node but those of the names it is given."""

    def __init__(self, *names: str) -> None:
        self._names = frozenset(names)

    def is_node_supported(self, submodules: Mapping[str, torch.nn.Module], node: Node) -> bool:
        """Whether the node's name is none of them."""
        return node.name not in self._names


class DontPartitionModule(OperatorSupportBase):
    """Takes every node but those that stem from the modules it is given."""

    def __init__(self, module_types: Iterable[str] = (), instance_names: Iterable[str] = ()) -> None:
        self._types, self._instances = frozenset(module_types), frozenset(instance_names)

    def is_node_supported(self, submodules: Mapping[str, torch.nn.Module], node: Node) -> bool:
        """Whether none of the modules around the node's line is one of them."""
        stack = node.meta.get("nn_module_stack", {}).values()
        return not any(path in self._instances or str(kind) in self._types for path, kind in stack)
