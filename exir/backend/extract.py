"""Extract partitions of a program as separate programs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
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

from exir.backend.tags import MutatedBuffer, constant_specs, mutated_buffers, tag_of, why_not_updated
from exir.error import UserError


@dataclass(frozen=True)
class Partition:
    """The nodes to delegate, and the values that cross the partition's boundary.

    All lists are in the order of the whole graph.

    inputs, outputs: nodes of the whole graph; arguments and results of the delegate call.
    states: buffers that the delegate updates. They are further arguments, and their new values are
        further results.
    """

    nodes: tuple[Node, ...]
    constants: Mapping[Node, InputSpec]
    inputs: tuple[Node, ...]
    outputs: tuple[Node, ...]
    states: Mapping[Node, MutatedBuffer] = field(default_factory=dict)

    @property
    def arguments(self) -> tuple[Node, ...]:
        """The arguments of the delegate call: inputs, then states."""
        return (*self.inputs, *self.states)

    @property
    def results(self) -> tuple[Node, ...]:
        """The results of the delegate call: outputs, then new values of the states."""
        return (*self.outputs, *(state.new_value for state in self.states.values()))


def find_partition(program: ExportedProgram, tag: str) -> Partition:
    """Return the partition of `tag`.

    Raises a `UserError` if a node with this tag cannot be delegated.
    """
    tagged = [node for node in program.graph.nodes if tag_of(node) == tag]
    specs = constant_specs(program)
    buffers = mutated_buffers(program)
    for node in tagged:
        _check_may_be_tagged(node, specs, buffers)
    nodes = [node for node in tagged if node.op == "call_function"]
    reads = _outside_reads(program.graph, nodes)
    owned = {node: specs[node.name] for node in reads if node.name in specs and tag_of(node)}
    states = {
        node: _state_input_spec(program, node, buffers[node], tag) for node in tagged if node in buffers
    }
    return Partition(
        nodes=tuple(nodes),
        constants=owned,
        inputs=tuple(node for node in reads if node not in owned and node not in states),
        outputs=_partition_outputs(nodes, states),
        states=states,
    )


def _state_input_spec(
    program: ExportedProgram, node: Node, buffer: MutatedBuffer, tag: str
) -> MutatedBuffer:
    reason = why_not_updated(program, node, buffer, tag)
    if reason is not None:
        raise UserError(
            f"buffer '{node.name}' has delegation tag '{tag}', but {reason}; remove the tag", node
        )
    return buffer


def _partition_outputs(nodes: list[Node], states: Mapping[Node, MutatedBuffer]) -> tuple[Node, ...]:
    """Return the nodes that are used outside, except the new values of states."""
    new_values = {state.new_value for state in states.values()}
    return tuple(node for node in nodes if _used_outside(node, set(nodes)) and node not in new_values)


def extract_program(program: ExportedProgram, partition: Partition) -> ExportedProgram:
    """Return `partition` as a program.

    Its inputs are the constants, the states, then the partition's inputs. Its results are the new
    values of the states, then the outputs. Tensors are shared with `program`.
    """
    graph, copies = _copy_nodes(partition)
    inputs = [
        _held_input(node, copies[node], spec) for node, spec in _held_input_specs(partition).items()
    ]
    inputs += [
        InputSpec(InputKind.USER_INPUT, argument_spec(copies[node]), None) for node in partition.inputs
    ]
    outputs = [
        OutputSpec(OutputKind.BUFFER_MUTATION, argument_spec(copies[state.new_value]), state.spec.target)
        for state in partition.states.values()
    ]
    outputs += [
        OutputSpec(OutputKind.USER_OUTPUT, argument_spec(copies[node]), None)
        for node in partition.outputs
    ]
    return ExportedProgram(
        root=_submodules_of(program.graph_module, partition),
        graph=graph,
        graph_signature=ExportGraphSignature(inputs, outputs),
        state_dict=_owned_tensors(partition, program.state_dict),
        range_constraints=dict(program.range_constraints),
        module_call_graph=[_call_entry(inputs, outputs)],
        constants=_owned_tensors(partition, program.constants),
        verifiers=program.verifiers,
    )


def argument_spec(node: Node) -> ArgumentSpec:
    """Return the argument that represents the value of `node` in a signature."""
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


def _held_input_specs(partition: Partition) -> dict[Node, InputSpec]:
    """Return the input specs of constants and states."""
    return {**partition.constants, **{node: state.spec for node, state in partition.states.items()}}


def _check_may_be_tagged(
    node: Node, constants: Mapping[str, InputSpec], buffers: Mapping[Node, MutatedBuffer]
) -> None:
    if node.op in ("call_function", "get_attr") or node.name in constants or node in buffers:
        return
    kinds = {"placeholder": "an input"}
    description = kinds.get(node.op, f"a node of kind '{node.op}'")
    raise UserError(
        f"'{node.name}' has delegation tag '{tag_of(node)}', but {description} cannot be delegated; remove "
        "the tag",
        node,
    )


def _outside_reads(graph: Graph, nodes: Iterable[Node]) -> list[Node]:
    """Return the nodes that `nodes` read from outside, in graph order.

    `get_attr` nodes are excluded, because partitions copy them.
    """
    inside = set(nodes)
    read = {source for node in inside for source in node.all_input_nodes}
    outside = (node for node in graph.nodes if node in read and node not in inside)
    return [node for node in outside if node.op != "get_attr"]


def _used_outside(node: Node, inside: set[Node]) -> bool:
    if all(user in inside for user in node.users):
        return False
    if isinstance(node.meta["val"], (tuple, list)):
        raise UserError(
            f"'{node.name}' has several results that are unpacked outside its partition; give its "
            "getitem nodes the same tag",
            node,
        )
    return True


def _copy_nodes(partition: Partition) -> tuple[Graph, dict[Node, Node]]:
    graph = Graph()
    copies: dict[Node, Node] = {}
    for node in [*_held_input_specs(partition), *partition.inputs]:
        copies[node] = graph.placeholder(node.name)
        copies[node].meta = dict(node.meta)
    for node in partition.nodes:
        for source in node.all_input_nodes:
            if source.op == "get_attr" and source not in copies:
                copies[source] = graph.node_copy(source)
        copies[node] = graph.node_copy(node, copies.__getitem__)
    new_values = [state.new_value for state in partition.states.values()]
    graph.output(tuple(copies[node] for node in [*new_values, *partition.outputs]))
    return graph, copies


def _submodules_of(root: GraphModule, partition: Partition) -> dict[str, Any]:
    """Return the modules that the partition refers to: branches of control flow."""
    sources = (source for node in partition.nodes for source in node.all_input_nodes)
    return {source.target: getattr(root, source.target) for source in sources if source.op == "get_attr"}


def _held_input(node: Node, copy: Node, spec: InputSpec) -> InputSpec:
    return InputSpec(spec.kind, argument_spec(copy), spec.target, spec.persistent)


def _owned_tensors(partition: Partition, tensors: Mapping[str, Any]) -> dict[str, Any]:
    targets = [spec.target for spec in _held_input_specs(partition).values() if spec.target]
    return {target: tensors[target] for target in targets if target in tensors}


def _call_entry(inputs: list[InputSpec], outputs: list[OutputSpec]) -> ModuleCallEntry:
    arguments = [spec.arg for spec in inputs if spec.kind is InputKind.USER_INPUT]
    results = [spec.arg for spec in outputs if spec.kind is OutputKind.USER_OUTPUT]
    signature = ModuleCallSignature(
        inputs=arguments,
        outputs=results,
        in_spec=pytree.tree_structure((tuple(arguments), {})),
        out_spec=pytree.tree_structure(tuple(results)),
    )
    return ModuleCallEntry(fqn="", signature=signature)
