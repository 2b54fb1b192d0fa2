"""Removes operators that return their input unchanged."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import OutputKind
from torch.fx import Graph, Node

from exir.dialects.edge import EdgeOpOverload, edge_op
from exir.graph.control_flow import graphs
from exir.graph.edit import replace_and_erase
from exir.graph.layouts import same_layout
from exir.operators.properties_of import properties_of
from exir.pass_manager import ProgramPass

_ATEN = torch.ops.aten

_COPY = edge_op(_ATEN.copy.default)
_PERMUTE = edge_op(_ATEN.permute_copy.default)


@dataclass(frozen=True)
class RemoveNoops(ProgramPass):
    """Removes copies, casts, views and slices that change nothing.

    Before: the edge dialect, functional. After: no such operator is left, with two exceptions: an
    operator stays if a graph output would become a graph input, or if two states would get the same
    value, because torch's signatures identify a mutated state by its value.
    """

    name: ClassVar[str] = "remove_noops"

    def run(self, program: ExportedProgram) -> ExportedProgram:
        for graph_module in graphs(program.graph_module):
            is_top = graph_module is program.graph_module
            _remove_from_graph(graph_module.graph, _count_written(program) if is_top else 0)
        return program


def _count_written(program: ExportedProgram) -> int:
    """Return how many outputs are new values of states and inputs; they come first."""
    kinds = [spec.kind for spec in program.graph_signature.output_specs]
    return len(kinds) - kinds.count(OutputKind.USER_OUTPUT)


def _remove_from_graph(graph: Graph, written: int) -> None:
    for node in graph.nodes:
        source = _unchanged_input(node)
        if source is None or _would_return_an_input(node, source):
            continue
        values = graph.output_node().args[0][:written]
        if not (node in values and source in values):
            replace_and_erase(node, source)


def _unchanged_input(node: Node) -> Node | None:
    """Return the argument that `node` returns unchanged, or None."""
    if isinstance(node.target, EdgeOpOverload) and properties_of(node.target._op).noop_by_layout:
        return _if_same_layout(node, node.args[0])
    if node.target is _COPY:
        return _if_same_layout(node, node.args[1])
    if node.target is _PERMUTE and list(node.args[1]) == list(range(len(node.args[1]))):
        return node.args[0]
    return None


def _if_same_layout(node: Node, source: object) -> Node | None:
    if isinstance(source, Node) and same_layout(node.meta["val"], source.meta["val"]):
        return source
    return None


def _would_return_an_input(node: Node, source: Node) -> bool:
    return source.op == "placeholder" and any(user.op == "output" for user in node.users)
