"""Generic partitioners, for which a backend only selects nodes."""

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
    """Delegates a whole program, including its constants, to one backend."""

    def __init__(self, backend_id: str, compile_specs: Sequence[CompileSpec]) -> None:
        self.backend_id = backend_id
        self.compile_specs = list(compile_specs)

    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        """Put every node except inputs and outputs into one partition, `tag0`."""
        nodes = [
            node for node in exported_program.graph.nodes if node.op not in ("placeholder", "output")
        ]
        tag_nodes(nodes, "tag0")
        tag_constant_data(exported_program)
        return PartitionResult(
            exported_program, {"tag0": DelegationSpec(self.backend_id, self.compile_specs)}
        )


class _NodeSetSupport(OperatorSupportBase):
    """Supports a fixed set of nodes."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        self._nodes = frozenset(nodes)

    def is_node_supported(self, submodules: Mapping[str, torch.nn.Module], node: Node) -> bool:
        return node in self._nodes


def generate_partitions_from_list_of_nodes(
    graph_module: GraphModule,
    pattern_list: Sequence[Sequence[Node]] | None = None,
    op_support: OperatorSupportBase | None = None,
) -> list[Partition]:
    """Return maximal acyclic partitions of supported nodes.

    Nodes in `pattern_list` and nodes that `op_support` accepts are supported.
    """
    listed_support = _NodeSetSupport(node for group in pattern_list or () for node in group)
    support = listed_support if op_support is None else any_chain(op_support, listed_support)
    return _propose_partitions(graph_module, support)


def generate_grouped_partitions_from_list_of_nodes(
    graph_module: GraphModule,
    pattern_list: Sequence[Sequence[Node]] | None = None,
    op_support: OperatorSupportBase | None = None,
) -> list[Partition]:
    """Like `generate_partitions_from_list_of_nodes`, but never splits a group.

    Raises a `UserError` if a group of `pattern_list` does not fit in one partition.
    """
    found = generate_partitions_from_list_of_nodes(graph_module, pattern_list, op_support)
    home = {node: partition for partition in found for node in partition.nodes}
    for group in pattern_list or ():
        if len({id(home[node]) for node in group}) > 1:
            raise UserError(
                f"nodes {', '.join(node.name for node in group)} cannot form one partition; tag "
                "fewer nodes"
            )
    return found


def generate_pattern_op_partitions(
    graph_module: GraphModule,
    patterns: Sequence[Graph] | None = None,
    partitions_list: Sequence[Sequence[Node]] | None = None,
    op_support: OperatorSupportBase | None = None,
    ignore_literals: bool = False,
) -> list[Partition]:
    """Return partitions of nodes that match a pattern, are listed, or are supported."""
    groups = [list(group) for group in partitions_list or ()]
    for pattern in patterns or ():
        groups += _match_pattern(graph_module, pattern, ignore_literals)
    return generate_partitions_from_list_of_nodes(graph_module, groups, op_support)


def _match_pattern(graph_module: GraphModule, pattern: Graph, ignore_literals: bool) -> list[list[Node]]:
    matcher = SubgraphMatcher(
        pattern, match_output=False, match_placeholder=False, ignore_literals=ignore_literals
    )
    return [
        [node for matched, node in match.nodes_map.items() if matched.op == "call_function"]
        for match in matcher.match(graph_module.graph)
    ]


def _propose_partitions(graph_module: GraphModule, support: OperatorSupportBase) -> list[Partition]:
    return CapabilityBasedPartitioner(
        graph_module, support, allows_single_node_partition=True
    ).propose_partitions()


class PartitionerConfig:
    """Base class that selects the calls of one operator that a backend delegates.

    target_name: the operator's name without its overload, such as `add`.
    """

    target_name: str = ""

    def check_constraints(self, node: Node, ep: ExportedProgram) -> bool:
        """Return whether the backend delegates this call."""
        raise NotImplementedError

    def get_node_and_deps(self, node: Node, ep: ExportedProgram) -> list[Node]:
        """Return the call and the nodes that must be delegated with it."""
        raise NotImplementedError

    def get_original_aten(self) -> Any:
        """Return the ATen operator to keep until the partitioner has run, or None."""
        return None

    def get_partition(self, node: Node, ep: ExportedProgram) -> list[Node]:
        """Return the nodes to delegate for this call, or none if it is not supported."""
        return self.get_node_and_deps(node, ep) if self.check_constraints(node, ep) else []


class ConfigerationBasedPartitioner(Partitioner):
    """Delegates the calls that a list of configurations selects."""

    def __init__(
        self,
        delegation_spec: DelegationSpec,
        partitioner_configs: "Iterable[type[PartitionerConfig] | PartitionerConfig]",
    ) -> None:
        self.delegation_spec = delegation_spec
        configs = [config() if isinstance(config, type) else config for config in partitioner_configs]
        self.target_partitioner_configs = {config.target_name: config for config in configs}

    def ops_to_not_decompose(self, ep: ExportedProgram) -> tuple[list[Any], None]:
        """Return the operators that the configurations exclude from decomposition."""
        ops = (config.get_original_aten() for config in self.target_partitioner_configs.values())
        return [op for op in ops if op is not None], None

    def get_matched_nodes_from_configs(self, ep: ExportedProgram) -> list[list[Node]]:
        """Return the nodes to delegate, one group for each selected call."""
        groups = []
        for node in ep.graph.nodes:
            config = self.target_partitioner_configs.get(format_target_name(node))
            groups.append(config.get_partition(node, ep) if config else [])
        return [group for group in groups if group]

    def generate_partitions(self, ep: ExportedProgram) -> list[Partition]:
        """Return the partitions of the selected nodes."""
        return generate_partitions_from_list_of_nodes(
            ep.graph_module, self.get_matched_nodes_from_configs(ep)
        )

    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        """Tag the partitions `tag0`, `tag1`, and so on."""
        tags = {}
        for index, partition in enumerate(self.generate_partitions(exported_program)):
            tag_nodes(list(partition.nodes), f"tag{index}")
            tags[f"tag{index}"] = self.delegation_spec
        tag_constant_data(exported_program)
        return PartitionResult(exported_program, tags)


def format_target_name(node: Node) -> str:
    """Return `add` for a call of `aten::add.Tensor`."""
    op = to_torch_overload(node.target) if node.op == "call_function" else None
    return op._schema.name.partition("::")[2] if op is not None else str(node.target)


class DontPartition(OperatorSupportBase):
    """Supports every node except those with the given targets."""

    def __init__(self, *targets: Any) -> None:
        self._targets = frozenset(targets)

    def is_node_supported(self, submodules: Mapping[str, torch.nn.Module], node: Node) -> bool:
        """Return whether the node's target is not excluded."""
        return node.target not in self._targets


class DontPartitionName(OperatorSupportBase):
    """Supports every node except those with the given names."""

    def __init__(self, *names: str) -> None:
        self._names = frozenset(names)

    def is_node_supported(self, submodules: Mapping[str, torch.nn.Module], node: Node) -> bool:
        """Return whether the node's name is not excluded."""
        return node.name not in self._names


class DontPartitionModule(OperatorSupportBase):
    """Supports every node except those from the given modules."""

    def __init__(self, module_types: Iterable[str] = (), instance_names: Iterable[str] = ()) -> None:
        self._types, self._instances = frozenset(module_types), frozenset(instance_names)

    def is_node_supported(self, submodules: Mapping[str, torch.nn.Module], node: Node) -> bool:
        """Return whether no module on the node's module stack is excluded."""
        stack = node.meta.get("nn_module_stack", {}).values()
        return not any(path in self._instances or str(kind) in self._types for path, kind in stack)
