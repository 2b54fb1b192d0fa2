"""Lifts tensors that control flow creates to constants of the program."""

from collections.abc import Callable

from torch import Tensor
from torch.export import ExportedProgram
from torch.fx import GraphModule, Node

from exir.graph.bodies import added_operand
from exir.graph.constants import ConstantTable
from exir.graph.control_flow import Region, graphs, regions
from exir.graph.fake_mode import fake_mode_of
from exir.graph.program_copy import copy_program

_Source = Callable[[str, Tensor], Node]


def lift_inner_constants(program: ExportedProgram) -> ExportedProgram:
    """Return `program`, or a copy in which inner graphs take tensors as operands.

    `torch.export` lifts only the tensors of the outermost graph. After: no inner graph has a tensor
    attribute; each such tensor is an operand, passed down from a constant. Graphs that no node refers to
    are removed, because torch's verifier would miss their tensors.
    """
    inner = [
        subgraph for subgraph in graphs(program.graph_module) if subgraph is not program.graph_module
    ]
    if not any(
        _attribute_readers(graph_module) or _has_spare_graphs(graph_module) for graph_module in inner
    ):
        return program
    copied = copy_program(program)  # copies only graphs that nodes refer to
    constants = ConstantTable(copied, fake_mode_of(copied.graph))
    _lift_within(copied.graph_module, constants.add)
    return copied


def _attribute_readers(graph_module: GraphModule) -> list[Node]:
    """Return the nodes that read a tensor attribute."""
    nodes = graph_module.graph.find_nodes(op="get_attr")
    return [node for node in nodes if isinstance(getattr(graph_module, node.target), Tensor)]


def _has_spare_graphs(graph_module: GraphModule) -> bool:
    """Return true if dead code elimination has removed the user of a nested graph."""
    targets = {node.target for node in graph_module.graph.find_nodes(op="get_attr")}
    return any(name not in targets for name, _ in graph_module.named_children())


def _lift_within(graph_module: GraphModule, source: _Source) -> None:
    """Lift the tensors of the graphs inside `graph_module`, with nodes from `source`."""
    for node in list(graph_module.graph.nodes):
        for region in regions(node):
            _lift_region(node, region, source)


def _lift_region(node: Node, region: Region, source: _Source) -> None:
    inner = region.graph_module

    def operand(name: str, tensor: Tensor) -> Node:
        return added_operand(node, source(name, tensor))[region.holder]

    holders = _attribute_readers(inner)
    for holder in holders:
        name = str(holder.target)
        holder.replace_all_uses_with(operand(name, getattr(inner, name)))
        inner.graph.erase_node(holder)
    for name in {str(holder.target) for holder in holders}:
        delattr(inner, name)
    _lift_within(inner, operand)
