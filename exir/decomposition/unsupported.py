"""Rejects programs that cannot be lowered; errors name the line of the model."""

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.export import ExportedProgram
from torch.fx import Node

from exir.error import ModelError
from exir.graph.control_flow import graphs
from exir.graph.variants import functional_form
from exir.torch_versions import has_misshapen_states

_AUTO_FUNCTIONALIZED = frozenset(
    {torch.ops.higher_order.auto_functionalized, torch.ops.higher_order.auto_functionalized_v2}
)


def reject_unsupported(program: ExportedProgram) -> None:
    """Raise `ModelError` for unsupported tensors, states and custom operators.

    It rejects sparse and quantized tensors, assignments of tensors of another size to states, and
    custom operators that mutate their arguments.
    """
    _reject_layouts_of_constants(program)
    for graph_module in graphs(program.graph_module):
        for node in graph_module.graph.nodes:
            _reject_sparse_value(node)
            _reject_resized_state(node)
            _reject_written_arguments(node)
            _reject_misshapen_states(node)


def layout_fault(tensor: Tensor) -> str | None:
    """Return why a program cannot store `tensor`, with the remedy; None if it can."""
    if tensor.layout is not torch.strided:
        return (
            f"is a sparse tensor ({tensor.layout}), but programs support only dense tensors; convert it "
            "with to_dense(), or compute the product with index_select and index_add of its indices "
            "and values"
        )
    if tensor.is_quantized:
        return (
            f"is a quantized tensor ({tensor.dtype}), but programs support only plain tensors; pass the "
            "float model and quantize it with a recipe (docs/how_to/quantize_a_model.md)"
        )
    return None


def _reject_layouts_of_constants(program: ExportedProgram) -> None:
    placeholders = {node.name: node for node in program.graph.find_nodes(op="placeholder")}
    for spec in program.graph_signature.input_specs:
        name = spec.target or ""
        value = program.state_dict.get(name, program.constants.get(name))
        fault = layout_fault(value) if isinstance(value, Tensor) else None
        if fault is not None:
            users = placeholders[spec.arg.name].users
            raise ModelError(f"'{name}' {fault}", next(iter(users), None))


def _reject_sparse_value(node: Node) -> None:
    value = node.meta.get("val")
    if node.op == "call_function" and isinstance(value, Tensor) and value.layout is not torch.strided:
        raise ModelError(f"the result of {node.target} {layout_fault(value)}", node)


def _reject_misshapen_states(node: Node) -> None:
    if has_misshapen_states(node):
        raise ModelError(
            f"torch {torch.__version__} exports states of an LSTM in the wrong shape; import exir.program "
            "before the export, or install torch 2.13 or later",
            node,
        )


def _reject_resized_state(node: Node) -> None:
    """Reject an assignment that resizes a state.

    `torch.export` records an assignment as a copy, whose value has the sizes of the source.
    """
    if node.target is not torch.ops.aten.copy_.default:
        return
    target = node.args[0]
    if not isinstance(target, Node) or target.op != "placeholder":
        return
    before, after = target.meta["val"].shape, node.meta["val"].shape
    if str(before) != str(after):
        raise ModelError(
            f"a tensor of shape {_format_shape(after)} is assigned to a buffer of shape "
            f"{_format_shape(before)}, but buffers cannot be resized; allocate the buffer for the "
            "longest sequence, write rows at a position (self.cache.index_copy_(0, position, rows)), and "
            "mask rows that are not yet written",
            node,
        )


def _format_shape(shape: torch.Size) -> str:
    return f"[{', '.join(map(str, shape))}]"


def _reject_written_arguments(node: Node) -> None:
    op = node.args[0] if node.target in _AUTO_FUNCTIONALIZED else node.target
    if not isinstance(op, OpOverload) or op.namespace in ("aten", "prims", "prim"):
        return
    written = [
        argument.name
        for argument in op._schema.arguments
        if argument.alias_info and argument.alias_info.is_write
    ]
    if written and functional_form(op) is None:
        raise ModelError(
            f"the custom operator {op} writes to its argument '{written[0]}', but programs call "
            "operators without side effects; call its Python function instead, or return the result "
            "from an operator with mutates_args=() that has a kernel (kernels/README.md)",
            node,
        )
