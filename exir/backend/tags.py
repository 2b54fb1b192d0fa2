"""Delegation tags on nodes: reading, writing, which constants go with a partition, and why a node has none."""

from collections.abc import Iterable, Mapping

from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, InputSpec, OutputKind
from torch.fx import Graph, Node

TAG = "delegation_tag"
_REFUSALS = "delegation_refusals"

_CONSTANT_KINDS = (InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR)


def tag_of(node: Node) -> str | None:
    """The partition that `node` belongs to."""
    return node.meta.get(TAG)


def tag_nodes(nodes: Iterable[Node], tag: str) -> None:
    """Put `nodes` into the partition `tag`."""
    for node in nodes:
        node.meta[TAG] = tag


def note_refusal(node: Node, backend: str, reason: str) -> None:
    """Note why `backend` leaves `node` to others; the manifest says so."""
    node.meta[_REFUSALS] = {**refusals_of(node), backend: reason}


def refusals_of(node: Node) -> Mapping[str, str]:
    """Why backends have not taken `node`: the reason by the id of the backend."""
    return node.meta.get(_REFUSALS, {})


def remove_tags(graph: Graph) -> None:
    """Forget all partitions."""
    for node in graph.nodes:
        node.meta.pop(TAG, None)


def constant_specs(program: ExportedProgram) -> dict[str, InputSpec]:
    """Input specs of all constants that no call changes, by placeholder name, in order."""
    mutated = {
        spec.target
        for spec in program.graph_signature.output_specs
        if spec.kind in (OutputKind.BUFFER_MUTATION, OutputKind.PARAMETER_MUTATION)
    }
    return {
        spec.arg.name: spec
        for spec in program.graph_signature.input_specs
        if spec.kind in _CONSTANT_KINDS and spec.target not in mutated
    }


def tag_constant_data(edge_program: ExportedProgram) -> None:
    """Tag each constant of which every user is delegated, so that it goes into the payload.

    A constant that several partitions use is compiled into each of them. Buffers that the
    program changes stay with the program.
    """
    constants = constant_specs(edge_program)
    for node in edge_program.graph.find_nodes(op="placeholder"):
        tags = [tag_of(user) for user in node.users]
        if node.name in constants and tags and None not in tags:
            node.meta[TAG] = tags[0]
