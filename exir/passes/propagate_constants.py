"""Computes operators on constants at compile time."""

import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar

from torch import Tensor
from torch.export import ExportedProgram
from torch.fx import Node
from torch.fx.node import map_arg

import exir.dialects.dim_order_ops  # noqa: F401  (registers the operators used below)
from exir.dialects.edge import EdgeOpOverload
from exir.graph.bodies import run_in_bodies
from exir.graph.constants import ConstantTable
from exir.graph.exact import exact, is_exact
from exir.graph.fake_mode import fake_mode_of
from exir.pass_manager import ProgramPass

# Upper limit in bytes for an intermediate value, unless its operands are larger.
_MAX_INTERMEDIATE_BYTES = 1 << 28


@dataclass(frozen=True)
class PropagateConstants(ProgramPass):
    """Replaces operators whose operands are all constants with their results.

    Before: the edge dialect. After: the weight of a linear layer is stored in the layout that its
    matrix multiplication reads, [K, N]. Connected foldable operators that depend only on constants are
    folded as one group if their results are at most as large as the constants that the group reads,
    or as `max_growth`. Otherwise, the operators with the largest results are kept until the rest is
    within these limits. A group therefore adds at most `max_growth` bytes to the file, or the size
    of the constants that other operators also need. Constants that only the group reads are removed
    from the file. Intermediate values are never stored. Graphs of control flow are folded in the
    same way, with the constants that they capture.

    max_growth: limit in bytes.
    """

    max_growth: int = 4096
    name: ClassVar[str] = "propagate_constants"

    def run(self, program: ExportedProgram) -> ExportedProgram:
        self._fold_in_graph(program)
        run_in_bodies(program, self._fold_in_graph)
        ConstantTable(program, fake_mode_of(program.graph)).drop_unused()
        return program

    def _fold_in_graph(self, program: ExportedProgram) -> None:
        constants = ConstantTable(program, fake_mode_of(program.graph))
        for group in self._groups_to_fold(_constant_nodes(program, constants), constants):
            _fold_group(group, constants)
        constants.drop_unused()

    def _groups_to_fold(
        self, nodes: Sequence[Node], constants: ConstantTable
    ) -> Iterator["_ConstantGroup"]:
        """Yield the groups of `nodes` to fold."""
        pending = [nodes]
        while pending:
            for connected in _connected_groups(pending.pop(), constants, self.max_growth):
                group = _ConstantGroup(connected, constants)
                if group.result_bytes <= max(self.max_growth, group.operand_bytes):
                    yield group
                else:
                    pending.append(group.without_largest())


class _ConstantGroup:
    """A group of nodes, in order, that depend only on constants.

    results: the values that nodes outside the group read. A node without operands, such as an arange or
        a fill, is not folded.
    firsts: for each node, the first equal node, by operator and operands. A weight that several layers
        transpose is therefore stored once.
    """

    def __init__(self, nodes: Sequence[Node], constants: ConstantTable) -> None:
        self.nodes = nodes
        inside = set(nodes)
        self.operands = [constant for constant in _read_constants(nodes) if constant not in inside]
        self.results = [node for node in nodes if node.all_input_nodes and not set(node.users) <= inside]
        self.firsts = _first_equal(nodes)
        self._constants = constants

    @property
    def operand_bytes(self) -> int:
        """The total size of the constants that the group reads."""
        return sum(operand.meta["val"].nbytes for operand in self.operands)

    @property
    def result_bytes(self) -> float:
        """The total size of the results; infinite if a result is not a tensor."""
        return sum(_byte_count(first) for first in {self.firsts[node] for node in self.results})

    def without_largest(self) -> list[Node]:
        """Return the nodes without the largest result, its equals and their dependents."""
        largest = self.firsts[max(self.results, key=_byte_count)]
        dropped = {node for node in self.nodes if self.firsts[node] is largest}
        for node in self.nodes:
            if not dropped.isdisjoint(node.all_input_nodes):
                dropped.add(node)
        return [node for node in self.nodes if node not in dropped]

    def values(self) -> dict[Node, Tensor]:
        """Compute the results."""
        found: dict[Node, Any] = {}

        def value(node: Node) -> Any:
            return found[node] if node in found else self._constants.tensor(node)

        for node in self.nodes:
            first = self.firsts[node]
            args = map_arg((node.args, node.kwargs), value)
            found[node] = _compute_node(node, *args) if first is node else found[first]
        return {node: _with_layout_of(found[node], node.meta["val"]) for node in self.results}

    def home_of(self, result: Node) -> Node | None:
        """Return a constant of the same size as `result` that only the group reads."""
        inside = set(self.nodes)
        size = result.meta["val"].nbytes
        alone = (operand for operand in self.operands if set(operand.users) <= inside)
        return next((operand for operand in alone if operand.meta["val"].nbytes == size), None)


def _constant_nodes(program: ExportedProgram, constants: ConstantTable) -> list[Node]:
    """Return the nodes that depend only on constants, in order."""
    known: set[Node] = set()
    for node in program.graph.nodes:
        operands = node.all_input_nodes
        are_known = all(
            operand in known or constants.tensor(operand) is not None for operand in operands
        )
        if are_known and _is_foldable(node) and _is_small(node):
            known.add(node)
    return [node for node in program.graph.nodes if node in known]


def _is_foldable(node: Node) -> bool:
    if node.target is operator.getitem:
        return True
    return isinstance(node.target, EdgeOpOverload) and is_exact(node.target._op, node.args)


def _is_small(node: Node) -> bool:
    values = node.meta["val"]
    tensors = [
        value
        for value in (values if isinstance(values, (tuple, list)) else [values])
        if isinstance(value, Tensor)
    ]
    operands = sum(_byte_count(input_node) for input_node in node.all_input_nodes)
    return sum(tensor.nbytes for tensor in tensors) <= max(_MAX_INTERMEDIATE_BYTES, operands)


def _connected_groups(nodes: Sequence[Node], constants: ConstantTable, least: int) -> list[list[Node]]:
    """Partition `nodes` into connected groups.

    Nodes are connected if one reads the other's result, or if both read the same constant of more than
    `least` bytes.
    """
    names: dict[Node, Node] = {}

    def name(node: Node) -> Node:
        while names.setdefault(node, node) is not node:
            names[node] = names[names[node]]
            node = names[node]
        return node

    inside = set(nodes)
    for node in nodes:
        for input_node in node.all_input_nodes:
            if input_node in inside or _byte_count(input_node) > least:
                names[name(input_node)] = name(node)
    groups: dict[Node, list[Node]] = {}
    for node in nodes:
        groups.setdefault(name(node), []).append(node)
    return list(groups.values())


def _first_equal(nodes: Sequence[Node]) -> dict[Node, Node]:
    """Map each node to the first node with the same operator and equal operands."""
    firsts: dict[Node, Node] = {}
    found: dict[Any, Node] = {}
    for node in nodes:
        args, kwargs = map_arg((node.args, node.kwargs), lambda operand: firsts.get(operand, operand))
        firsts[node] = found.setdefault((node.target, repr(args), repr(kwargs)), node)
    return firsts


def _fold_group(group: _ConstantGroup, constants: ConstantTable) -> None:
    stored: dict[Node, Node] = {}
    for result, value in group.values().items():
        first = group.firsts[result]
        if first in stored:
            result.replace_all_uses_with(stored[first])
            continue
        home = group.home_of(result)
        constant = constants.add(_source_name(result, constants), value) if home is None else home
        result.replace_all_uses_with(constant)
        stored[first] = constant
        if home is not None:
            constants.set_value(home, value)
    for node in reversed(group.nodes):
        if not node.users:
            node.graph.erase_node(node)


def _source_name(result: Node, constants: ConstantTable) -> str:
    """Return the name of the first constant that `result` is computed from."""
    node = result
    while node.all_input_nodes:
        node = node.all_input_nodes[0]
    return constants.name(node) if node.op == "placeholder" else result.name


def _compute_node(node: Node, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    return args[0][args[1]] if node.target is operator.getitem else exact(node.target._op, args, kwargs)


def _with_layout_of(value: Tensor, like: Tensor) -> Tensor:
    """Return `value` with the strides of `like`, in separate memory."""
    if value.stride() == like.stride() and value.untyped_storage().nbytes() == value.nbytes:
        return value
    return value.new_empty_strided(like.shape, like.stride()).copy_(value)


def _read_constants(nodes: Sequence[Node]) -> list[Node]:
    return list(dict.fromkeys(input_node for node in nodes for input_node in node.all_input_nodes))


def _byte_count(node: Node) -> float:
    value = node.meta["val"]
    return value.nbytes if isinstance(value, Tensor) else inf
