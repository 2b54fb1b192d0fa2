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
from exir.graph.layouts import planned_dim_order
from exir.graph.size_bounds import constraint_bound
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
        bound = constraint_bound(program.range_constraints)
        for graph_module in graphs(program.graph_module):
            for node in graph_module.graph.nodes:
                if node.target in _REPLACEMENTS:
                    target, dtype_option = _REPLACEMENTS[node.target]
                    node.target = edge_op(target)
                    order = list(planned_dim_order(node.meta["val"], bound))
                    node.kwargs = {**dtype_option(node), "dim_order": order}
        return program


def _changed_dtype(node: Node) -> dict[str, Any]:
    dtype = node.meta["val"].dtype
    return {} if dtype == node.args[0].meta["val"].dtype else {"dtype": dtype}


def _no_dtype(node: Node) -> dict[str, Any]:
    return {}


def _own_dtype(node: Node) -> dict[str, Any]:
    return {"dtype": node.meta["val"].dtype}


# The counterpart of each operator, and the function that returns the counterpart's dtype.
_REPLACEMENTS: dict[Any, tuple[Any, Callable[[Node], dict[str, Any]]]] = {
    edge_op(_ATEN._to_copy.default): (_DIM_ORDER._to_dim_order_copy.default, _changed_dtype),
    edge_op(_ATEN.clone.default): (_DIM_ORDER._clone_dim_order.default, _no_dtype),
    edge_op(_ATEN.empty.memory_format): (_DIM_ORDER._empty_dim_order.default, _own_dtype),
}
