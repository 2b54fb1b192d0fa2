"""Updates exported programs after their graph module is replaced."""

from collections.abc import Collection
from dataclasses import replace

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import (
    ExportGraphSignature,
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
    TensorArgument,
    TokenArgument,
)
from torch.fx import Graph, GraphModule, Node
from torch.nn import Parameter

from exir.decomposition.rewrite import Rewritten
from exir.error import EdgeDialectError, NotLocal
from exir.graph.constants import ConstantTable
from exir.graph.fake_mode import fake_mode_of
from exir.graph.program_copy import with_copied_containers
from exir.verification.verifier import EXIREdgeDialectVerifier


def with_graph_module(program: ExportedProgram, graph_module: GraphModule) -> ExportedProgram:
    """Return `program` with another graph module of the same interface.

    The signature takes its names from the placeholders and outputs of the new graph, whose counts must
    not change. Tensor attributes that a pass added become constants of the program.
    """
    signature = renamed_signature(program.graph_signature, graph_module.graph)
    result = with_copied_containers(program)
    result._graph_signature = signature
    result._graph_module = graph_module
    _lift_attributes(result)
    return result


def with_names_of_graph(program: ExportedProgram) -> ExportedProgram:
    """Update the names in the signature of `program` to those of its graph."""
    program._graph_signature = renamed_signature(program.graph_signature, program.graph)
    return program


def _lift_attributes(program: ExportedProgram) -> None:
    graph_module = program.graph_module
    constants = ConstantTable(program, fake_mode_of(program.graph))
    for node in program.graph.find_nodes(op="get_attr"):
        value = getattr(graph_module, node.target)
        if isinstance(value, torch.Tensor):
            node.replace_all_uses_with(constants.add(node.target, value))
            program.graph.erase_node(node)
            delattr(graph_module, node.target)


def edge_program(program: ExportedProgram, rewritten: Rewritten) -> ExportedProgram:
    """Return a new program of the edge dialect: `program` with the rewritten graph.

    Writes to buffers and inputs become the first outputs. A mutated constant or parameter becomes a
    buffer. Tensors are shared with `program`; their containers are not.
    """
    signature = renamed_signature(program.graph_signature, rewritten.graph)
    if rewritten.mutations:
        _reject_second_names(program, signature, rewritten)
        signature = _with_mutations(_with_state(signature, rewritten.mutations.keys()), rewritten)
    signature = _without_written_parameters(signature)
    buffers = set(signature.buffers)
    return ExportedProgram(
        root=rewritten.submodules,
        graph=rewritten.graph,
        graph_signature=signature,
        state_dict={
            name: tensor.detach() if name in buffers and isinstance(tensor, Parameter) else tensor
            for name, tensor in program.state_dict.items()
        },
        range_constraints={**program.range_constraints, **rewritten.ranges},
        module_call_graph=program.module_call_graph,
        example_inputs=program.example_inputs,
        constants=dict(program.constants),
        verifiers=[EXIREdgeDialectVerifier],
    )


def _with_state(signature: ExportGraphSignature, written: Collection[str]) -> ExportGraphSignature:
    """Turn mutated constants and parameters in the signature into buffers.

    `torch.export` treats tensors that no module has registered, such as those of caches, as constants.
    """
    specs = [
        replace(spec, kind=InputKind.BUFFER, persistent=spec.kind is InputKind.PARAMETER)
        if spec.arg.name in written and spec.kind in (InputKind.CONSTANT_TENSOR, InputKind.PARAMETER)
        else spec
        for spec in signature.input_specs
    ]
    return ExportGraphSignature(specs, signature.output_specs)


def _without_written_parameters(signature: ExportGraphSignature) -> ExportGraphSignature:
    """Turn mutated parameters in the signature into buffers.

    A parameter that is mutated under `torch.no_grad()` is state, like a buffer.
    """
    targets = {
        spec.target for spec in signature.output_specs if spec.kind is OutputKind.PARAMETER_MUTATION
    }
    names = {spec.arg.name for spec in signature.input_specs if spec.target in targets}
    outputs = [
        replace(spec, kind=OutputKind.BUFFER_MUTATION)
        if spec.kind is OutputKind.PARAMETER_MUTATION
        else spec
        for spec in signature.output_specs
    ]
    return ExportGraphSignature(_with_state(signature, names).input_specs, outputs)


def _reject_second_names(
    program: ExportedProgram, signature: ExportGraphSignature, rewritten: Rewritten
) -> None:
    """Reject programs that use another tensor in the memory of a mutated constant."""
    used = {node.name for node in rewritten.graph.find_nodes(op="placeholder") if node.users}
    tensors = {**program.state_dict, **program.constants}
    for written in signature.input_specs:
        if written.kind is not InputKind.CONSTANT_TENSOR or written.arg.name not in rewritten.mutations:
            continue
        for spec in signature.input_specs:
            tensor = tensors.get(spec.target) if spec.arg.name in used else None
            if spec.target == written.target or not isinstance(tensor, torch.Tensor):
                continue
            if _storage_place(tensor) == _storage_place(tensors[written.target]):
                raise NotLocal(
                    f"the program writes to '{written.target}', which shares memory with '{spec.target}'"
                )


def _storage_place(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage().data_ptr()


def _with_mutations(signature: ExportGraphSignature, rewritten: Rewritten) -> ExportGraphSignature:
    written = [spec for spec in signature.input_specs if spec.arg.name in rewritten.mutations]
    values = [rewritten.mutations[spec.arg.name] for spec in written]
    output = rewritten.graph.output_node()
    output.args = ((*values, *output.args[0]),)
    specs = [_mutation_spec(spec, value) for spec, value in zip(written, values)]
    return ExportGraphSignature(signature.input_specs, specs + signature.output_specs)


def _mutation_spec(written: InputSpec, value: Node) -> OutputSpec:
    arg = TensorArgument(name=value.name)
    if written.kind is InputKind.BUFFER:
        return OutputSpec(OutputKind.BUFFER_MUTATION, arg, written.target)
    if written.kind is InputKind.USER_INPUT:
        return OutputSpec(OutputKind.USER_INPUT_MUTATION, arg, written.arg.name)
    raise NotLocal(f"the program writes to the {written.kind.name.lower()} '{written.target}'")


def renamed_signature(signature: ExportGraphSignature, graph: Graph) -> ExportGraphSignature:
    """Return the signature with the names of the graph's placeholders and outputs."""
    placeholders = graph.find_nodes(op="placeholder")
    outputs = graph.output_node().args[0]
    _check_count("inputs", len(signature.input_specs), len(placeholders))
    _check_count("outputs", len(signature.output_specs), len(outputs))
    new_name = {spec.arg.name: node.name for spec, node in zip(signature.input_specs, placeholders)}
    renamed = zip(signature.output_specs, outputs)
    return ExportGraphSignature(
        [_renamed_input(spec, node) for spec, node in zip(signature.input_specs, placeholders)],
        [_renamed_output(spec, value, new_name) for spec, value in renamed],
    )


def _check_count(kind: str, expected: int, found: int) -> None:
    if expected != found:
        raise EdgeDialectError(
            f"a pass changed the number of the graph's {kind} from {expected} to {found}; keep the "
            "graph's inputs and outputs"
        )


def _renamed_input(spec: InputSpec, node: Node) -> InputSpec:
    return spec if spec.arg.name == node.name else replace(spec, arg=replace(spec.arg, name=node.name))


def _renamed_output(spec: OutputSpec, value: object, new_name: dict[str, str]) -> OutputSpec:
    target = spec.target
    if spec.kind is OutputKind.USER_INPUT_MUTATION:
        target = new_name[target or ""]
    if not isinstance(value, Node) or isinstance(spec.arg, TokenArgument):
        return replace(spec, target=target)
    return replace(spec, arg=replace(spec.arg, name=value.name), target=target)
