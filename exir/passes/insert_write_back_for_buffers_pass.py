"""`InsertWriteBackForBuffersPass`: writes new values of mutated buffers back."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, OutputKind, OutputSpec
from torch.fx import Node

from exir.delegate import updated_argument
from exir.error import internal_assert
from exir.graph.graph_builder import inherited_meta
from exir.graph.in_place import clone_before, memory_owner
from exir.graph.program_update import with_graph_module
from exir.pass_manager import ProgramPass

_MUTATIONS = (OutputKind.BUFFER_MUTATION, OutputKind.USER_INPUT_MUTATION)
_STATE = (InputKind.BUFFER, InputKind.CONSTANT_TENSOR)


@dataclass(frozen=True)
class InsertWriteBackForBuffersPass(ProgramPass):
    """Copies new values into the mutated buffers and inputs (`aten::copy_`).

    Before: a functional program, whose signature lists the mutations among the outputs. After: the
    graph's last calls are the copies, in the order of the outputs, and each mutation's output is its
    copy. Values that a delegate or an operator updates in place are not copied. A value that aliases a
    mutated buffer is cloned before the write-back if it is read later or returned.
    """

    name: ClassVar[str] = "insert_write_back_for_buffers"

    def run(self, program: ExportedProgram) -> ExportedProgram:
        targets = mutation_targets(program)
        if targets:
            _save_old_values(program, targets)
            _insert_copies(program, targets)
            program = with_graph_module(program, program.graph_module)
        return program

    def ensures(self, program: ExportedProgram) -> None:
        outputs = program.graph.output_node().args[0]
        for index, target in mutation_targets(program).items():
            value = outputs[index]
            is_written = _is_copy(value) or _is_updated_in_place(value, target)
            internal_assert(is_written, f"output {index} is not a mutated buffer")


def _is_copy(node: Node) -> bool:
    return node.target is torch.ops.aten.copy_.default


def mutation_targets(program: ExportedProgram) -> dict[int, Node]:
    """Map the output index of each mutation to the placeholder that it mutates."""
    by_state, by_name = _placeholders_by_name(program)
    targets = {}
    for index, spec in enumerate(program.graph_signature.output_specs):
        if spec.kind in _MUTATIONS:
            is_input = spec.kind is OutputKind.USER_INPUT_MUTATION
            targets[index] = _mutated_placeholder(by_name if is_input else by_state, spec)
    return targets


def _mutated_placeholder(placeholders: dict[str, Node], spec: OutputSpec) -> Node:
    assert spec.target is not None
    return placeholders[spec.target]


def _placeholders_by_name(program: ExportedProgram) -> tuple[dict[str, Node], dict[str, Node]]:
    """Return buffer placeholders by qualified name, and all placeholders by name."""
    nodes = program.graph.find_nodes(op="placeholder")
    specs = program.graph_signature.input_specs
    by_state = {s.target: n for n, s in zip(nodes, specs) if s.kind in _STATE and s.target}
    return by_state, {node.name: node for node in nodes}


def _save_old_values(program: ExportedProgram, targets: dict[int, Node]) -> None:
    """Clone outputs that alias a mutated buffer, except the buffer's own new value."""
    output = program.graph.output_node()
    mutated = set(targets.values())
    values = enumerate(output.args[0])
    output.args = (
        tuple(
            _clone_if_overwritten(value, mutated, targets.get(index), output) for index, value in values
        ),
    )


def _clone_if_overwritten(
    value: object, mutated: set[Node], target: Node | None, output: Node
) -> object:
    """Return `value` or its clone.

    If `value` is the new value of a buffer, `target` is that buffer.
    """
    if not isinstance(value, Node) or memory_owner(value) not in mutated:
        return value
    if target is not None and _is_updated_in_place(value, target):
        return value
    return clone_before(output, value)


def _is_updated_in_place(value: Node, target: Node) -> bool:
    """Return true if `value`, the new value of `target`, is already in its memory."""
    return updated_argument(value) is target or memory_owner(value) is target


def _insert_copies(program: ExportedProgram, targets: dict[int, Node]) -> None:
    output = program.graph.output_node()
    values = list(output.args[0])
    with program.graph.inserting_before(output):
        for index, target in targets.items():
            new_value = values[index]
            if _is_updated_in_place(new_value, target):
                continue
            copy = program.graph.call_function(torch.ops.aten.copy_.default, (target, new_value))
            copy.meta = {**inherited_meta(new_value), "val": target.meta["val"]}
            values[index] = copy
    output.args = (tuple(values),)
