"""A partitioner that keeps given groups of nodes together."""

from collections.abc import Iterable, Iterator, Sequence

from torch.fx import Graph, GraphModule, Node
from torch.fx.node import _get_qualified_name
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner, Partition
from torch.fx.passes.operator_support import OperatorSupportBase

from exir.error import UserError

_MOVING = frozenset({"torch.ops.aten.view", "_operator.getitem"})


class GroupBasedPartitioner(CapabilityBasedPartitioner):
    """Proposes maximal acyclic partitions that do not split groups of nodes.

    node_groups: nodes that must be in one partition, if they are supported. A node can be in one
        group only.
    allows_single_node_partition: also propose partitions with only one computing node.
    non_compute_ops: names of operators that do not count as computing.
    allowed_single_node_partition_ops: names of operators that may form a partition alone.
    """

    def __init__(
        self,
        graph_module: GraphModule,
        operator_support: OperatorSupportBase,
        allows_single_node_partition: bool = False,
        non_compute_ops: Sequence[str] | None = None,
        allowed_single_node_partition_ops: Sequence[str] | None = None,
        node_groups: Sequence[Sequence[Node]] | None = None,
    ) -> None:
        super().__init__(
            graph_module,
            operator_support,
            allows_single_node_partition,
            non_compute_ops,
            allowed_single_node_partition_ops,
        )
        self.node_groups = [set(group) for group in node_groups or ()]
        for node in graph_module.graph.nodes:
            if sum(node in group for group in self.node_groups) > 1:
                raise UserError(f"node '{node.name}' is in several groups; assign it to one")

    def propose_partitions(self) -> list[Partition]:
        """Return the partitions in graph order."""
        graph = self.graph_module.graph
        units = _UnitGraph(graph)
        supported = [node for node in graph.nodes if self._is_node_supported(node)]
        for group in self.node_groups:
            units.join([node for node in supported if node in group])
        found = [Partition(index, nodes) for index, nodes in enumerate(units.grown(supported))]
        return [
            partition
            for partition in found
            if self.allows_single_node_partition or self._is_worthwhile(partition)
        ]

    def _is_worthwhile(self, partition: Partition) -> bool:
        """Return true if several nodes compute, or one that may form a partition alone."""
        names = [
            _get_qualified_name(node.target) for node in partition.nodes if node.op == "call_function"
        ]
        moving = _MOVING | set(self.non_compute_ops or ())
        alone = set(self.allowed_single_node_partition_ops or ())
        return sum((name not in moving) + (name in alone) for name in names) > 1


class _UnitGraph:
    """An acyclic graph in which some nodes are merged into units."""

    def __init__(self, graph: Graph) -> None:
        self._places = {node: place for place, node in enumerate(graph.nodes)}
        self._unit = dict(self._places)
        self._nodes = {place: [node] for node, place in self._places.items()}

    def join(self, group: list[Node]) -> None:
        """Merge nodes, which must be in graph order, into one unit."""
        for node in group[1:]:
            if not self._try_join(self._unit[group[0]], self._unit[node]):
                names = ", ".join(node.name for node in group)
                raise UserError(
                    f"nodes {names} cannot form one partition, because nodes between them are in no "
                    "group; group fewer nodes"
                )

    def grown(self, supported: Iterable[Node]) -> Iterator[list[Node]]:
        """Merge as many supported nodes as possible. Yield the nodes of each unit."""
        units: list[int] = []
        for unit in dict.fromkeys(self._unit[node] for node in supported):
            near = self._predecessors(unit)
            candidates = sorted(units, key=lambda candidate: candidate not in near)
            if not any(self._try_join(candidate, unit) for candidate in candidates):
                units.append(unit)
        for unit in units:
            yield sorted(self._nodes[unit], key=self._places.__getitem__)

    def _try_join(self, first: int, second: int) -> bool:
        if self._is_between(first, second) or self._is_between(second, first):
            return False
        for node in self._nodes.pop(second):
            self._unit[node] = first
            self._nodes[first].append(node)
        return True

    def _is_between(self, first: int, second: int) -> bool:
        """Return whether a path leads from `first` to `second` through other units."""
        waiting = [unit for unit in self._successors(first) if unit != second]
        seen = {first, *waiting}
        while waiting:
            following = self._successors(waiting.pop())
            if second in following:
                return True
            waiting += following - seen
            seen |= following
        return False

    def _successors(self, unit: int) -> set[int]:
        users = (self._unit[user] for node in self._nodes[unit] for user in node.users)
        return {user for user in users if user != unit}

    def _predecessors(self, unit: int) -> set[int]:
        inputs = (self._unit[source] for node in self._nodes[unit] for source in node.all_input_nodes)
        return {unit_input for unit_input in inputs if unit_input != unit}
