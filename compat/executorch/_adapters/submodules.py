"""Programs of submodules that were extracted from a program."""

import operator
from typing import Any

from torch.export import ExportedProgram, ModuleCallEntry, ModuleCallSignature
from torch.export.graph_signature import (
    ConstantArgument,
    ExportGraphSignature,
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
)
from torch.fx import Graph, GraphModule, Node
from torch.utils import _pytree as pytree

from exir.backend.extract import argument_spec

_ORDER = (InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR, InputKind.CUSTOM_OBJ, InputKind.USER_INPUT)


def create_exported_program_from_submodule(
    submodule: GraphModule,
    owning_program: ExportedProgram,
    tag: str,
    call_module_node: Node,
    is_submodule: bool,
) -> tuple[ExportedProgram, dict[str, InputSpec], dict[str, OutputSpec]]:
    """Return `submodule` as a program that owns constants and buffers tagged `tag`.

    `call_module_node` calls the submodule. Also returns the input and output specs that the new program takes
    from `owning_program`; a submodule of control flow (`is_submodule`) takes none.
    """
    signature = owning_program.graph_signature
    known = {} if is_submodule else {spec.arg.name: spec for spec in signature.input_specs}
    inputs = _input_specs(submodule.graph, known, tag)
    state_specs = {spec.arg.name: spec for spec in inputs if spec.kind is not InputKind.USER_INPUT}
    outputs, outer_specs = _output_specs(
        submodule.graph, call_module_node, [] if is_submodule else signature.output_specs, state_specs
    )
    targets = {spec.target for spec in state_specs.values()}
    program = ExportedProgram(
        root=submodule,
        graph=submodule.graph,
        graph_signature=ExportGraphSignature(inputs, outputs),
        state_dict={name: value for name, value in owning_program.state_dict.items() if name in targets},
        range_constraints=dict(owning_program.range_constraints),
        module_call_graph=[_call_entry(inputs, outputs)],
        constants={name: value for name, value in owning_program.constants.items() if name in targets},
        verifiers=owning_program.verifiers,
    )
    return program, state_specs, outer_specs


def _input_specs(graph: Graph, known: dict[str, InputSpec], tag: str) -> list[InputSpec]:
    """Return the specs of the placeholders, which are sorted in a program's order."""
    specs = {node: _input_spec(node, known, tag) for node in graph.find_nodes(op="placeholder")}
    ordered = sorted(specs, key=lambda node: _ORDER.index(specs[node].kind))
    first = next(iter(graph.nodes), None)
    for node in ordered:
        if node is not first and first is not None:
            first.prepend(node)
    return [specs[node] for node in ordered]


def _input_spec(node: Node, known: dict[str, InputSpec], tag: str) -> InputSpec:
    spec = known.get(node.name)
    is_owned = spec is not None and node.meta.get("delegation_tag") == tag
    if spec is not None and (is_owned or isinstance(spec.arg, ConstantArgument)):
        return spec
    return InputSpec(InputKind.USER_INPUT, argument_spec(node), None)


def _output_specs(
    graph: Graph, call: Node, outer: list[OutputSpec], state_specs: dict[str, InputSpec]
) -> tuple[list[OutputSpec], dict[str, OutputSpec]]:
    """Return the specs of the results, and the outer specs of mutated buffers.

    Mutated buffers come first, as in a program.
    """
    targets = {spec.target for spec in state_specs.values()}
    # Match by position, because the call's results have different names in the outer signature.
    updates = {
        node: spec
        for node, spec in zip(call.graph.output_node().args[0], outer)
        if spec.kind is OutputKind.BUFFER_MUTATION and spec.target in targets
    }
    items = {user.args[1]: user for user in call.users if user.target is operator.getitem}
    outer_specs = {index: updates[item] for index, item in items.items() if item in updates}
    output = graph.output_node()
    results = sorted(enumerate(output.args[0]), key=lambda result: result[0] not in outer_specs)
    output.args = ([value for _, value in results],)
    places = {before: after for after, (before, _) in enumerate(results)}
    for index, item in items.items():
        item.args = (call, places[index])
    specs = [_output_spec(value, outer_specs.get(index)) for index, value in results]
    return specs, {spec.arg.name: spec for spec in outer_specs.values()}


def _output_spec(value: Any, update: OutputSpec | None) -> OutputSpec:
    if not isinstance(value, Node):
        return OutputSpec(OutputKind.USER_OUTPUT, ConstantArgument("", value), None)
    kind = OutputKind.USER_OUTPUT if update is None else OutputKind.BUFFER_MUTATION
    return OutputSpec(kind, argument_spec(value), None if update is None else update.target)


def _call_entry(inputs: list[InputSpec], outputs: list[OutputSpec]) -> ModuleCallEntry:
    user_inputs = [spec.arg.name for spec in inputs if spec.kind is InputKind.USER_INPUT]
    results = [spec.arg.name for spec in outputs if spec.kind is OutputKind.USER_OUTPUT]
    trees = pytree.tree_structure((tuple(user_inputs), {})), pytree.tree_structure(tuple(results))
    return ModuleCallEntry("", ModuleCallSignature(inputs=[], outputs=[], in_spec=trees[0], out_spec=trees[1]))
