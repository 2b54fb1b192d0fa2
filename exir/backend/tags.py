"""Delegation tags of nodes, of constants and of mutable buffers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, InputSpec, OutputKind
from torch.fx import Graph, Node

from exir.graph.constants import EXTERNAL_FILE
from exir.graph.control_flow import results_of

TAG = "delegation_tag"
_REFUSALS = "delegation_refusals"

_CONSTANT_KINDS = (InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR)


def tag_of(node: Node) -> str | None:
    """Return the tag of the partition of `node`."""
    return node.meta.get(TAG)


def tag_nodes(nodes: Iterable[Node], tag: str) -> None:
    """Add `nodes` to the partition `tag`."""
    for node in nodes:
        node.meta[TAG] = tag


def note_refusal(node: Node, backend: str, reason: str) -> None:
    """Record why `backend` does not delegate `node`, for the manifest."""
    node.meta[_REFUSALS] = {**refusals_of(node), backend: reason}


def refusals_of(node: Node) -> Mapping[str, str]:
    """Return the reasons why backends do not delegate `node`, by backend id."""
    return node.meta.get(_REFUSALS, {})


def remove_tags(graph: Graph) -> None:
    """Remove the tags of all partitions."""
    for node in graph.nodes:
        node.meta.pop(TAG, None)


@dataclass(frozen=True)
class MutatedBuffer:
    """A buffer that a program changes: its input spec, and the node of its new value."""

    spec: InputSpec
    new_value: Node


def mutated_buffers(program: ExportedProgram) -> dict[Node, MutatedBuffer]:
    """Return the mutated buffers by their placeholders, in order."""
    outputs = results_of(program.graph)
    new_values = {
        spec.target: value
        for spec, value in zip(program.graph_signature.output_specs, outputs)
        if spec.kind is OutputKind.BUFFER_MUTATION
    }
    placeholders = program.graph.find_nodes(op="placeholder")
    return {
        node: MutatedBuffer(spec, new_values[spec.target])
        for node, spec in zip(placeholders, program.graph_signature.input_specs)
        if spec.kind is InputKind.BUFFER and spec.target in new_values
    }


def tag_mutated_buffer(edge_program: ExportedProgram) -> None:
    """Tag each mutated buffer that only one partition reads and changes.

    Call it after the other nodes are tagged. The program keeps the buffer, and the delegate updates
    it in place: its runtime side counts it in `et_backend_requirements.updated_count`. Other
    buffers are passed in every call, and their new values are copied back.
    """
    for node, buffer in mutated_buffers(edge_program).items():
        tag = tag_of(buffer.new_value)
        if tag is not None and why_not_updated(edge_program, node, buffer, tag) is None:
            node.meta[TAG] = tag


def why_not_updated(program: ExportedProgram, node: Node, buffer: MutatedBuffer, tag: str) -> str | None:
    """Return the reason why partition `tag` cannot update a buffer in place, if any."""
    output = program.graph.output_node()
    outside = [user for user in node.users if tag_of(user) != tag]
    if outside:
        return f"'{outside[0].name}' outside the partition also reads it"
    if buffer.new_value.op != "call_function" or tag_of(buffer.new_value) != tag:
        return f"its new value '{buffer.new_value.name}' is not in the partition"
    users = [user for user in buffer.new_value.users if user is not output and tag_of(user) != tag]
    if users:
        return f"'{users[0].name}' outside the partition reads its new value"
    if list(output.args[0]).count(buffer.new_value) > 1:
        return f"its new value '{buffer.new_value.name}' is also returned as another output"
    return None


def constant_specs(program: ExportedProgram) -> dict[str, InputSpec]:
    """Return the input specs of constants that no call changes, by placeholder name.

    Tensors that a weights file provides are not included.
    """
    provided = {
        node.name for node in program.graph.find_nodes(op="placeholder") if EXTERNAL_FILE in node.meta
    }
    mutated = {
        spec.target
        for spec in program.graph_signature.output_specs
        if spec.kind in (OutputKind.BUFFER_MUTATION, OutputKind.PARAMETER_MUTATION)
    }
    return {
        spec.arg.name: spec
        for spec in program.graph_signature.input_specs
        if spec.kind in _CONSTANT_KINDS and spec.target not in mutated and spec.arg.name not in provided
    }


def tag_constant_data(edge_program: ExportedProgram) -> None:
    """Tag each constant whose users are all delegated, so that it is in the payload.

    A constant that several partitions use is compiled into each of them. Buffers that the program
    changes stay in the program.
    """
    constants = constant_specs(edge_program)
    for node in edge_program.graph.find_nodes(op="placeholder"):
        tags = [tag_of(user) for user in node.users]
        if node.name in constants and tags and None not in tags:
            node.meta[TAG] = tags[0]
