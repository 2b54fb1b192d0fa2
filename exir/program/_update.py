"""Exported programs whose graph module has been replaced."""

from dataclasses import replace

from torch.export import ExportedProgram
from torch.export.graph_signature import (
    ExportGraphSignature,
    InputSpec,
    OutputKind,
    OutputSpec,
    TokenArgument,
)
from torch.fx import GraphModule, Node

from exir.error import EdgeDialectError


def with_graph_module(program: ExportedProgram, graph_module: GraphModule) -> ExportedProgram:
    """`program` around another graph module of the same interface.

    The program is changed in place: the signature's names follow the new graph's
    placeholders and outputs, which must be as many as before.
    """
    program._graph_signature = renamed_signature(program.graph_signature, graph_module)
    program._graph_module = graph_module
    return program


def renamed_signature(
    signature: ExportGraphSignature, graph_module: GraphModule
) -> ExportGraphSignature:
    """`signature` with the names of `graph_module`'s placeholders and outputs."""
    placeholders = graph_module.graph.find_nodes(op="placeholder")
    outputs = graph_module.graph.output_node().args[0]
    _check_count("inputs", len(signature.input_specs), len(placeholders))
    _check_count("outputs", len(signature.output_specs), len(outputs))
    new_name = {
        spec.arg.name: node.name for spec, node in zip(signature.input_specs, placeholders)
    }
    return ExportGraphSignature(
        [_renamed_input(spec, node) for spec, node in zip(signature.input_specs, placeholders)],
        [_renamed_output(spec, value, new_name) for spec, value in zip(signature.output_specs, outputs)],
    )


def _check_count(what: str, expected: int, found: int) -> None:
    if expected != found:
        raise EdgeDialectError(
            f"a pass changed the number of the graph's {what} from {expected} to {found};"
            " keep the graph's interface"
        )


def _renamed_input(spec: InputSpec, node: Node) -> InputSpec:
    return replace(spec, arg=replace(spec.arg, name=node.name))


def _renamed_output(spec: OutputSpec, value: object, new_name: dict[str, str]) -> OutputSpec:
    target = spec.target
    if spec.kind is OutputKind.USER_INPUT_MUTATION:
        target = new_name[target]
    if not isinstance(value, Node) or isinstance(spec.arg, TokenArgument):
        return replace(spec, target=target)
    return replace(spec, arg=replace(spec.arg, name=value.name), target=target)
