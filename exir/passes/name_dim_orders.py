"""Replaces memory formats with dim orders."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch.export import ExportedProgram
from torch.fx import Node

import exir.dialects.dim_order_ops  # noqa: F401  (registers the operators used below)
from exir.dialects.edge import edge_op
from exir.graph.control_flow import graphs
from exir.pass_manager import ProgramPass

_ATEN = torch.ops.aten
_DIM_ORDER = torch.ops.dim_order_ops


@dataclass(frozen=True)
class NameDimOrders(ProgramPass):
    """Replaces `_to_copy`, `clone` and `empty` with operators of `dim_order_ops`.

    Before: the edge dialect. After: no operator has an argument `memory_format`. The argument
    `dim_order` of these operators is the layout of their result.
    """

    name: ClassVar[str] = "name_dim_orders"

    def run(self, program: ExportedProgram) -> ExportedProgram:
        for graph_module in graphs(program.graph_module):
            for node in graph_module.graph.nodes:
                if node.target in _REPLACEMENTS:
                    target, options = _REPLACEMENTS[node.target]
                    node.target = edge_op(target)
                    node.kwargs = options(node)
        return program


def _dim_order(node: Node) -> list[int]:
    val = node.meta["val"]
    # Strides of empty tensors are arbitrary; like exir.tensor, take the row-major order.
    is_empty = any(isinstance(size, int) and size == 0 for size in val.shape)
    return list(range(val.dim()) if is_empty else val.dim_order())


def _copy_options(node: Node) -> dict[str, Any]:
    """Return the options of a copy: the dtype if it changes, and the layout."""
    dtype = node.meta["val"].dtype
    changed = {} if dtype == node.args[0].meta["val"].dtype else {"dtype": dtype}
    return {**changed, "dim_order": _dim_order(node)}


def _clone_options(node: Node) -> dict[str, Any]:
    return {"dim_order": _dim_order(node)}


def _empty_options(node: Node) -> dict[str, Any]:
    return {"dtype": node.meta["val"].dtype, "dim_order": _dim_order(node)}


# The counterpart of each operator, and the function that computes the counterpart's options.
_REPLACEMENTS: dict[Any, tuple[Any, Callable[[Node], dict[str, Any]]]] = {
    edge_op(_ATEN._to_copy.default): (_DIM_ORDER._to_dim_order_copy.default, _copy_options),
    edge_op(_ATEN.clone.default): (_DIM_ORDER._clone_dim_order.default, _clone_options),
    edge_op(_ATEN.empty.memory_format): (_DIM_ORDER._empty_dim_order.default, _empty_options),
}
