"""Cutting partitions out of a program: each becomes a program of its own."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.exported_program import ModuleCallEntry, ModuleCallSignature
from torch.export.graph_signature import (
    ArgumentSpec,
    ConstantArgument,
    ExportGraphSignature,
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
    SymBoolArgument,
    SymFloatArgument,
    SymIntArgument,
    TensorArgument,
)
from torch.fx import Graph, GraphModule, Node
from torch.utils import _pytree as pytree

from exir.backend.tags import constant_specs, tag_of
from exir.error import UserError


@dataclass(frozen=True)
class Partition:
    """Nodes to be delegated, and what crosses the border.

    All lists are in the order of the whole graph. `inputs` and `outputs` are nodes of the
    whole graph: arguments and results of the delegate call.
    """

    nodes: tuple[Node, ...]
    constants: Mapping[Node, InputSpec]
    inputs: tuple[Node, ...]
    outputs: tuple[Node, ...]


def find_partition(program: ExportedProgram, tag: str) -> Partition:
    """The nodes tagged `tag`; `UserError` when a node of that tag cannot be delegated."""
    tagged = [node for node in program.graph.nodes if tag_of(node) == tag]
    specs = constant_specs(program)
    for node in tagged:
        _check_may_be_tagged(node, specs)
    nodes = [node for node in tagged if node.op == "call_function"]
    reads = _outside_reads(program.graph, nodes)
    owned = {node: specs[node.name] for node in reads if node.name in specs and tag_of(node)}
    return Partition(
        nodes=tuple(nodes),
        constants=owned,
        inputs=tuple(node for node in reads if node not in owned),
        outputs=tuple(node for node in nodes if _used_outside(node, set(nodes))),
    )


def extract_program(program: ExportedProgram, partition: Partition) -> ExportedProgram:
    """`partition` as a program: its constants, then its inputs, to a tuple of its outputs.

    Tensors are shared with `program`, not copied.
    """
    graph, copies = _copy_nodes(partition)
    inputs = [_constant_input(node, copies[node], spec) for node, spec in partition.constants.items()]
    inputs += [
        InputSpec(InputKind.USER_INPUT, argument_spec(copies[node]), None) for node in partition.inputs
    ]
    outputs = [
        OutputSpec(OutputKind.USER_OUTPUT, argument_spec(copies[node]), None)
        for node in partition.outputs
    ]
    return ExportedProgram(
        root=_submodules_of(program.graph_module, partition),
        graph=graph,
        graph_signature=ExportGraphSignature(inputs, outputs),
        state_dict=_owned(partition, program.state_dict),
        range_constraints=dict(program.range_constraints),
        module_call_graph=[_call_entry(inputs, outputs)],
        constants=_owned(partition, program.constants),
        verifiers=program.verifiers,
    )


def argument_spec(node: Node) -> ArgumentSpec:
    """How a signature names the value of `node`."""
    value = node.meta["val"]
    kinds: tuple[tuple[type, type], ...] = (
        (torch.Tensor, TensorArgument),
        (torch.SymInt, SymIntArgument),
        (torch.SymFloat, SymFloatArgument),
        (torch.SymBool, SymBoolArgument),
    )
    for value_type, argument in kinds:
        if isinstance(value, value_type):
            return argument(name=node.name)
    return ConstantArgument(name=node.name, value=value)


def _check_may_be_tagged(node: Node, constants: Mapping[str, InputSpec]) -> None:
    if node.op in ("call_function", "get_attr") or node.name in constants:
        return
    kinds = {"placeholder": "an input or a buffer that the program changes"}
    what = kinds.get(node.op, f"a node of kind '{node.op}'")
    raise UserError(
        f"'{node.name}' has delegation tag '{tag_of(node)}', but {what} cannot be delegated", node
    )


def _outside_reads(graph: Graph, nodes: Iterable[Node]) -> list[Node]:
    """Nodes that `nodes` read but do not hold, in graph order; attributes are copied, not read."""
    inside = set(nodes)
    read = {source for node in inside for source in node.all_input_nodes}
    outside = (node for node in graph.nodes if node in read and node not in inside)
    return [node for node in outside if node.op != "get_attr"]


def _used_outside(node: Node, inside: set[Node]) -> bool:
    if all(user in inside for user in node.users):
        return False
    if isinstance(node.meta["val"], (tuple, list)):
        raise UserError(
            f"'{node.name}' gives several results that are unpacked outside of its partition;"
            " tag its getitem nodes with it",
            node,
        )
    return True


def _copy_nodes(partition: Partition) -> tuple[Graph, dict[Node, Node]]:
    graph = Graph()
    copies: dict[Node, Node] = {}
    for node in [*partition.constants, *partition.inputs]:
        copies[node] = graph.placeholder(node.name)
        copies[node].meta = dict(node.meta)
    for node in partition.nodes:
        for source in node.all_input_nodes:
            if source.op == "get_attr" and source not in copies:
                copies[source] = graph.node_copy(source)
        copies[node] = graph.node_copy(node, copies.__getitem__)
    graph.output(tuple(copies[node] for node in partition.outputs))
    return graph, copies


def _submodules_of(root: GraphModule, partition: Partition) -> dict[str, Any]:
    """The attributes that the partition's nodes refer to: branches of control flow."""
    sources = (source for node in partition.nodes for source in node.all_input_nodes)
    return {source.target: getattr(root, source.target) for source in sources if source.op == "get_attr"}


def _constant_input(node: Node, copy: Node, spec: InputSpec) -> InputSpec:
    return InputSpec(spec.kind, argument_spec(copy), spec.target, spec.persistent)


def _owned(partition: Partition, tensors: Mapping[str, Any]) -> dict[str, Any]:
    targets = [spec.target for spec in partition.constants.values() if spec.target]
    return {target: tensors[target] for target in targets if target in tensors}


def _call_entry(inputs: list[InputSpec], outputs: list[OutputSpec]) -> ModuleCallEntry:
    given = [spec.arg for spec in inputs if spec.kind is InputKind.USER_INPUT]
    results = [spec.arg for spec in outputs]
    signature = ModuleCallSignature(
        inputs=given,
        outputs=results,
        in_spec=pytree.tree_structure((tuple(given), {})),
        out_spec=pytree.tree_structure(tuple(results)),
    )
    return ModuleCallEntry(fqn="", signature=signature)
