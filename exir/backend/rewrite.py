"""Replace partitions with delegate calls."""

import operator
from collections.abc import Mapping
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import ExportGraphSignature
from torch.fx import Graph, GraphModule, Node

from exir.backend.extract import Partition
from exir.backend.order import units_in_order
from exir.backend.tags import constant_specs, mutated_buffers
from exir.delegate import DelegatedModule, attach_lowered_module, executorch_call_delegate
from exir.graph.control_flow import graphs
from exir.graph.program_update import renamed_signature


def with_delegate_calls(
    program: ExportedProgram,
    partitions: Mapping[str, Partition],
    lowered: Mapping[str, DelegatedModule],
) -> ExportedProgram:
    """Return a copy of `program` in which each partition is a delegate call.

    Constants without remaining users are removed, together with their placeholders.
    """
    writer = _GraphWriter(program, partitions, lowered, _constants_left_out(partitions))
    writer.write()
    return writer.finish()


def graph_with_delegate_calls(
    program: ExportedProgram,
    partitions: Mapping[str, Partition],
    lowered: Mapping[str, DelegatedModule],
    first_handle: int,
) -> GraphModule:
    """Return the graph of `program` with a delegate call for each partition.

    The placeholders are unchanged.

    first_handle: the debug handle of the first call; later calls have consecutive handles.
    """
    writer = _GraphWriter(program, partitions, lowered, frozenset(), first_handle)
    writer.write()
    return writer.graph_module()


def as_one_call(lowered: DelegatedModule) -> ExportedProgram:
    """Return the program of `lowered` as one delegate call."""
    program = lowered.edge_program
    constants = constant_specs(program)
    states = mutated_buffers(program)
    placeholders = program.graph.find_nodes(op="placeholder")
    partition = Partition(
        nodes=tuple(node for node in program.graph.nodes if node.op == "call_function"),
        constants={node: constants[node.name] for node in placeholders if node.name in constants},
        inputs=tuple(node for node in placeholders if node.name not in constants and node not in states),
        outputs=tuple(program.graph.output_node().args[0][len(states) :]),
        states=states,
    )
    return with_delegate_calls(program, {"whole": partition}, {"whole": lowered})


class _GraphWriter:
    """Writes the new graph, node by node."""

    def __init__(
        self,
        program: ExportedProgram,
        partitions: Mapping[str, Partition],
        lowered: Mapping[str, DelegatedModule],
        left_out: frozenset[Node],
        first_handle: int | None = None,
    ) -> None:
        self._program = program
        self._partitions = partitions
        self._lowered = lowered
        self._left_out = left_out
        self._graph = Graph()
        self._root = torch.nn.Module()
        self._copies: dict[Node, Node] = {}
        self._next_handle = first_handle or 1 + last_handle(program.graph_module)

    def write(self) -> None:
        """Write the remaining nodes and the calls in topological order."""
        members = {tag: partition.nodes for tag, partition in self._partitions.items()}
        for tag, nodes in units_in_order(self._program.graph, members):
            if tag is None:
                self.copy_node(nodes[0])
            else:
                self.write_call(tag)

    def graph_module(self) -> GraphModule:
        """Return the new graph with the attributes that its nodes refer to."""
        result = GraphModule(self._root, self._graph)
        result.meta.update(self._program.graph_module.meta)
        return result

    def copy_node(self, node: Node) -> None:
        """Copy a node, unless it is a constant that only delegates read."""
        if node in self._left_out:
            return
        self._copies[node] = self._graph.node_copy(node, self._copies.__getitem__)

    def write_call(self, tag: str) -> None:
        """Write the delegate call of a partition.

        If the call returns a tuple, write a `getitem` for each result.
        """
        partition = self._partitions[tag]
        holder = self._graph.get_attr(self._attach_delegate(self._lowered[tag]))
        arguments = [self._copies[node] for node in partition.arguments]
        call = self._graph.call_function(executorch_call_delegate, (holder, *arguments))
        vals = tuple(node.meta["val"] for node in partition.results)
        is_one = self._lowered[tag].returns_one
        call.meta["val"] = vals[0] if is_one else vals
        call.meta["debug_handle"] = self._next_handle
        call.meta["stack_trace"] = partition.nodes[-1].meta.get("stack_trace")
        self._next_handle += 1
        for index, node in enumerate(partition.results):
            self._copies[node] = call if is_one else self._get_result(call, index, node)

    def finish(self) -> ExportedProgram:
        """Return the program of the new graph."""
        program = self._program
        signature = self._update_signature(program.graph_signature)
        gone = {spec.target for spec in program.graph_signature.input_specs} - {
            spec.target for spec in signature.input_specs
        }
        result = ExportedProgram(
            root=self._root,
            graph=self._graph,
            graph_signature=signature,
            state_dict=_without_keys(program.state_dict, gone),
            range_constraints=dict(program.range_constraints),
            module_call_graph=program.module_call_graph,
            example_inputs=program.example_inputs,
            constants=_without_keys(program.constants, gone),
            verifiers=program.verifiers,
        )
        result.graph_module.meta.update(program.graph_module.meta)
        return result

    def _attach_delegate(self, lowered: DelegatedModule) -> str:
        """Attach `lowered` under an unused attribute name."""
        for node in self._program.graph.find_nodes(op="get_attr"):
            setattr(self._root, node.target, getattr(self._program.graph_module, node.target))
        return attach_lowered_module(self._root, lowered)

    def _get_result(self, call: Node, index: int, original: Node) -> Node:
        node = self._graph.create_node(
            "call_function", operator.getitem, (call, index), name=original.name
        )
        node.meta = dict(original.meta)
        return node

    def _update_signature(self, old: ExportGraphSignature) -> ExportGraphSignature:
        gone = {node.name for node in self._left_out}
        input_specs = [spec for spec in old.input_specs if spec.arg.name not in gone]
        return renamed_signature(ExportGraphSignature(input_specs, list(old.output_specs)), self._graph)


def last_handle(graph_module: GraphModule) -> int:
    """Return the largest debug handle of the graph and its control-flow graphs."""
    nodes = (node for subgraph in graphs(graph_module) for node in subgraph.graph.nodes)
    return max(node.meta.get("debug_handle", 0) for node in nodes)


def _constants_left_out(partitions: Mapping[str, Partition]) -> frozenset[Node]:
    inside = {node for partition in partitions.values() for node in partition.nodes}
    owned = {node for partition in partitions.values() for node in partition.constants}
    return frozenset(node for node in owned if inside.issuperset(node.users))


def _without_keys(tensors: Mapping[str, Any], gone: set[str | None]) -> dict[str, Any]:
    return {name: tensor for name, tensor in tensors.items() if name not in gone}
