"""`CpuPartitioner`: selects the nodes of a program that the backend compiles."""

import operator
from collections.abc import Callable, Iterator
from typing import ClassVar

import torch
from torch._ops import OpOverload
from torch.export import ExportedProgram
from torch.fx import Node

from backends.cpu.compiler.dim_table import DimTable
from backends.cpu.compiler.dims import Bounds, Dim, dim_of, dims_of
from backends.cpu.compiler.lower.program import Program, dim_at
from backends.cpu.compiler.lower.table import WHOLE, refusal, rule_of
from backends.cpu.compiler.options import Options
from backends.cpu.compiler.preprocess import CpuBackend
from exir.backend.capability import propose_partitions
from exir.backend.entry import BackendEntry
from exir.backend.partitioner import DelegationSpec, Partitioner, PartitionResult
from exir.backend.tags import constant_specs, note_refusal, tag_mutated_buffer, tag_nodes, tag_of
from exir.error import UnsupportedOperatorError
from exir.graph.bodies import bodies


class CpuPartitioner(Partitioner):
    """Delegates the largest groups of nodes that can be lowered.

    Groups can be in branches and loop bodies. Groups that contain only views are not delegated.

    winograd, row_tiling, threads, weights, strassen: see `Options`.
    """

    delegates_bodies: ClassVar[bool] = True

    def __init__(
        self,
        winograd: str = "auto",
        row_tiling: str = "auto",
        threads: int = 4,
        weights: str = "auto",
        strassen: str = "auto",
    ) -> None:
        self.options = Options(winograd, row_tiling, threads, weights, strassen)

    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        """Tag groups `cpu_0`, `cpu_1`, … in graph order.

        Groups in control flow graphs come last.
        """
        tags: dict[str, DelegationSpec] = {}
        for program in _programs(exported_program):
            for nodes in filter(_computes, _groups(Program(program))):
                tag = f"cpu_{len(tags)}"
                tag_nodes(nodes, tag)
                tags[tag] = DelegationSpec(CpuBackend.__name__, self.options.specs())
            _tag_constants(program)
            tag_mutated_buffer(program)
        return PartitionResult(exported_program, tags)

    def ops_to_not_decompose(self, ep: ExportedProgram) -> tuple[list[OpOverload], Callable[[Node], bool] | None]:
        """Return operators that are faster undecomposed, and a filter for their nodes.

        The filter accepts the nodes that can be lowered.
        """
        programs = {each.graph: Program(each) for each in _programs(ep)}
        return list(WHOLE), lambda node: node.graph in programs and refusal(programs[node.graph], node) is None


BACKEND = BackendEntry(id="cpu", partitioner=CpuPartitioner)


def _programs(program: ExportedProgram) -> list[ExportedProgram]:
    """Return `program` and its control flow graphs, as programs."""
    return [program, *(body.program for body in bodies(program))]


def _groups(program: Program) -> list[list[Node]]:
    """Return groups of nodes that can be lowered together.

    All results of a group are tensors, and its arguments determine all sizes.
    """
    taken = {node for node in program.graph.nodes if node.op == "call_function" and _is_taken(program, node)}
    while True:
        groups = propose_partitions(program.graph, taken.__contains__)
        leaving = {node for group in groups for node in group if _is_number_for_others(node, group)}
        leaving = leaving or {node for group in groups for node in _undetermined(program.bounds, group)}
        if not leaving:
            return groups
        taken -= leaving


def _is_number_for_others(node: Node, group: list[Node]) -> bool:
    is_number = not isinstance(node.meta["val"], torch.Tensor)
    return is_number and not set(node.users) <= set(group)


def _undetermined(bounds: Bounds, group: list[Node]) -> Iterator[Node]:
    """Yield the nodes that must leave a group.

    Without them, the arguments of the group determine all sizes.     The results of these nodes are then arguments. A `getitem` leaves with the node that it unpacks.
    """
    dynamic = {
        node: dims for node in group if (dims := [dim for dim in _dims(bounds, node) if not isinstance(dim, int)])
    }
    if not dynamic:
        return
    inside = set(group)
    read = dict.fromkeys(source for node in group for source in node.all_input_nodes if source not in inside)
    arguments = [argument for source in read for argument in _argument_sizes(source)]
    table = DimTable(bounds, arguments)
    for node, dims in dynamic.items():
        try:
            for dim in dims:
                table.add(dim)
        except UnsupportedOperatorError:
            note_refusal(node, BACKEND.id, f"no argument of its delegate determines the size of '{node.name}'")
            yield node.all_input_nodes[0] if node.target is operator.getitem else node
            arguments += _argument_sizes(node)
            table = DimTable(bounds, arguments)


def _argument_sizes(node: Node) -> list[tuple[Dim, ...] | Dim]:
    """Return the sizes of the tensors that a node computes, or its integer."""
    value = node.meta.get("val")
    if isinstance(value, torch.SymInt):
        return [dim_of(value)]
    values = value if isinstance(value, (list, tuple)) else [value]
    return [dims_of(each) for each in values if isinstance(each, torch.Tensor)]


def _dims(bounds: Bounds, node: Node) -> list[Dim]:
    """Return the sizes of the tensors that a node computes, and its integer arguments."""
    sizes = [dim for dims in _argument_sizes(node) if isinstance(dims, tuple) for dim in dims]
    integers = [dim_at(source) for source in node.all_input_nodes if isinstance(source.meta.get("val"), torch.SymInt)]
    return sizes + [dim for dim in integers if bounds.holds(dim)] if sizes else []


def _is_taken(program: Program, node: Node) -> bool:
    reason = refusal(program, node)
    if reason is not None:
        note_refusal(node, BACKEND.id, reason)
    return reason is None


def _computes(nodes: list[Node]) -> bool:
    rules = [rule_of(node) for node in nodes]
    return any(rule is not None and rule.computes for rule in rules)


def _tag_constants(program: ExportedProgram) -> None:
    """Tag the constants of delegates.

    Constants that kernels also use are included, because delegates store packed copies.
    """
    specs = constant_specs(program)
    for node in program.graph.find_nodes(op="placeholder"):
        tags = [tag for user in node.users if (tag := tag_of(user)) is not None]
        if node.name in specs and tags:
            tag_nodes([node], tags[0])
