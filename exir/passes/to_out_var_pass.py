"""`ToOutVarPass`: replaces operators with their out variants."""

from dataclasses import dataclass
from typing import Any, ClassVar

from torch.export import ExportedProgram
from torch.fx import GraphModule, Node

from exir import memory
from exir.dialects.edge import to_torch_overload
from exir.dialects.out_variant import (
    OutVariant,
    bind_arguments,
    is_in_place,
    out_variant_of,
    returns_tensors,
)
from exir.error import UnsupportedOperatorError, internal_assert
from exir.graph.control_flow import graphs
from exir.pass_manager import ProgramPass
from exir.tensor import TensorSpec
from exir.verification.advice import called_on


@dataclass(frozen=True)
class ToOutVarPass(ProgramPass):
    """Replaces functional operators with their out variants on `memory.alloc` nodes.

    Before: nodes have specs, and operators are functional, except the write-back of buffers. After:
    every operator that returns tensors writes them to preallocated memory. Operators that return
    scalars, views, delegates and control flow are unchanged. Raises `UnsupportedOperatorError` with the
    name of an operator that has no out variant.
    """

    name: ClassVar[str] = "to_out_var"

    def run(self, program: ExportedProgram) -> ExportedProgram:
        for graph_module in graphs(program.graph_module):
            convert_to_out_variants(graph_module)
        return program

    def ensures(self, program: ExportedProgram) -> None:
        for graph_module in graphs(program.graph_module):
            for node in graph_module.graph.nodes:
                op = to_torch_overload(node.target)
                if op is not None and returns_tensors(op):
                    internal_assert(is_in_place(op), "operator has no output memory", node)


def convert_to_out_variants(graph_module: GraphModule) -> None:
    """Convert the operators of `graph_module`, not those of graphs inside it."""
    for node in list(graph_module.graph.nodes):
        op = to_torch_overload(node.target)
        if op is not None and returns_tensors(op) and not is_in_place(op):
            _convert_to_out(node, _find_out_variant(node))


def _find_out_variant(node: Node) -> OutVariant:
    op = to_torch_overload(node.target)
    assert op is not None
    variant = out_variant_of(op)
    if variant is None:
        raise UnsupportedOperatorError(
            f"operator {op.name()}{called_on(node)} has no out variant, which a .pte program needs; "
            "decompose it, delegate it, or register an out overload with torch.library",
            node,
        )
    return variant


def _convert_to_out(node: Node, variant: OutVariant) -> None:
    op = to_torch_overload(node.target)
    assert op is not None
    arguments = bind_arguments(op, node.args, node.kwargs)
    spec = node.meta["spec"]
    specs = [spec] if len(variant.outputs) == 1 else spec
    val = node.meta["val"]
    vals = [val] if len(variant.outputs) == 1 else val
    outputs = {
        name: _insert_alloc(node, *spec_and_val)
        for name, *spec_and_val in zip(variant.outputs, specs, vals)
    }
    node.target = variant.op
    node.args = ()
    node.kwargs = {
        **{name: value for name, value in arguments.items() if name not in variant.dropped},
        **outputs,
    }


def _insert_alloc(node: Node, spec: Any, val: Any) -> Node | None:
    """Insert the allocation of one output; None for an output that is masked out."""
    if spec is None:
        return None
    with node.graph.inserting_before(node):
        alloc = node.graph.call_function(memory.alloc, (_shape_and_dtype(spec),))
    alloc.meta = {"spec": spec, "val": val}
    return alloc


def _shape_and_dtype(spec: TensorSpec | list[TensorSpec]) -> Any:
    if isinstance(spec, TensorSpec):
        return (spec.shape, spec.dtype)
    return [_shape_and_dtype(item) for item in spec]
