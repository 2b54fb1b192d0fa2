"""`constant_prop_pass`: constant folding in programs of either dialect."""

import logging
from collections.abc import Iterable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, InputSpec, TensorArgument
from torch.fx import Node
from torch.fx.node import map_arg

from exir.dialects.edge import to_torch_overload
from exir.dialects.out_variant import is_in_place
from exir.graph.control_flow import regions
from exir.graph.fake_mode import fake_mode_of

_PREFIX = "_prop_tensor_constant"
_KINDS = (InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR)


def constant_prop_pass(
    exported_program: ExportedProgram,
    custom_skip_targets: Iterable[Any] | None = None,
    _skip_dim_order: bool = False,
) -> ExportedProgram:
    """Replace values that depend only on constants with constants.

    The new constants are named `_prop_tensor_constant0`, …; unused constants are removed. The
    following calls are not folded: quantize and dequantize calls, targets in `custom_skip_targets`,
    and calls in graphs of control flow.
    """
    program = exported_program
    if any(regions(node) for node in program.graph.nodes):
        logging.warning("constant_prop_pass does not constant propagate in control flow modules")
    known = known_constants(program)
    values = dict(known)
    for node in program.graph.nodes:
        if _is_foldable(node, values, set(custom_skip_targets or ())):
            values[node] = _known_value(node, values)
    _store_constants(program, [node for node in values if node not in known and _is_read(node, values)], values)
    _drop_unused(program)
    program.graph_module.recompile()
    return program


def known_constants(program: ExportedProgram) -> dict[Node, Tensor]:
    """Return the placeholders of constants that no call mutates, with their tensors."""
    changed = set(program.graph_signature.buffers_to_mutate.values())
    placeholders = program.graph.find_nodes(op="placeholder")
    tensors = {**program.constants, **program.state_dict}
    return {
        node: tensors[spec.target]
        for node, spec in zip(placeholders, program.graph_signature.input_specs)
        if spec.kind in _KINDS and spec.target in tensors and spec.target not in changed
    }


def _is_foldable(node: Node, values: Mapping[Node, Any], skipped: set[Any]) -> bool:
    op = to_torch_overload(node.target)
    if node.op != "call_function" or op is None or node.target in skipped or op in skipped:
        return False
    if op.namespace == "quantized_decomposed" or is_in_place(op) or torch.Tag.nondeterministic_seeded in op.tags:
        return False
    operands = node.all_input_nodes
    return bool(operands) and all(operand in values for operand in operands)


def _known_value(node: Node, values: Mapping[Node, Any]) -> Any:
    args, kwargs = map_arg((node.args, node.kwargs), values.__getitem__)
    with torch.no_grad():
        result = node.target(*args, **kwargs)
    return result.contiguous() if isinstance(result, Tensor) and 0 in result.stride() else result


def _is_read(node: Node, values: Mapping[Node, Any]) -> bool:
    """Return true if a call that is not folded uses the value."""
    return isinstance(values[node], Tensor) and any(user not in values for user in node.users)


def _store_constants(program: ExportedProgram, nodes: list[Node], values: Mapping[Node, Any]) -> None:
    mode = fake_mode_of(program.graph)
    specs = []
    first = next(iter(program.graph.nodes))
    for index, node in enumerate(nodes):
        name = f"{_PREFIX}{_first_free(program) + index}"
        tensor = values[node].detach().clone()
        with program.graph.inserting_before(first):
            constant = program.graph.placeholder(name)
        constant.meta = {**node.meta, "val": mode.from_tensor(tensor, static_shapes=True)}
        node.replace_all_uses_with(constant)
        specs.append((name, tensor, InputSpec(InputKind.CONSTANT_TENSOR, TensorArgument(constant.name), name, True)))
    program.constants.update({name: tensor for name, tensor, _ in specs})
    signature = program.graph_signature
    signature.input_specs = [spec for _, _, spec in specs] + list(signature.input_specs)


def _first_free(program: ExportedProgram) -> int:
    return sum(name.startswith(_PREFIX) for name in program.constants)


def _drop_unused(program: ExportedProgram) -> None:
    program.graph.eliminate_dead_code()
    placeholders = program.graph.find_nodes(op="placeholder")
    used_specs = []
    for node, spec in zip(placeholders, program.graph_signature.input_specs):
        if spec.kind in _KINDS and not node.users and not _is_changed(program, spec):
            program.graph.erase_node(node)
            program.state_dict.pop(spec.target, None)
            program.constants.pop(spec.target, None)
        else:
            used_specs.append(spec)
    program.graph_signature.input_specs = used_specs


def _is_changed(program: ExportedProgram, spec: InputSpec) -> bool:
    return spec.target in program.graph_signature.buffers_to_mutate.values()
