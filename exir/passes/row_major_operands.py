"""Operands in row-major order, for kernels that take no other."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.export import ExportedProgram
from torch.fx import Node

import exir.dialects.dim_order_ops  # noqa: F401  (registers the operator used below)
from exir.dialects.edge import edge_op
from exir.graph.control_flow import graphs
from exir.graph.edit import insert_before
from exir.graph.fake_mode import fake_mode_of
from exir.pass_manager import ProgramPass

_ATEN = torch.ops.aten
_COPY = torch.ops.dim_order_ops._to_dim_order_copy.default
_ROW_MAJOR = frozenset(
    edge_op(op)
    for op in (
        _ATEN._adaptive_avg_pool2d.default,
        _ATEN.avg_pool2d.default,
        _ATEN.expand_copy.default,
        _ATEN.mean.dim,
        _ATEN.sum.dim_IntList,
    )
)


@dataclass(frozen=True)
class RowMajorOperands(ProgramPass):
    """Copies operands of reductions and expansions to row-major order, as the official runtime's kernels ask.

    Before: the edge dialect. After: these operators take and give tensors in row-major order; what uses
    their results finds them in the dim order of before.
    """

    name: ClassVar[str] = "row_major_operands"

    def run(self, program: ExportedProgram) -> ExportedProgram:
        fake_mode = fake_mode_of(program.graph)
        for graph_module in graphs(program.graph_module):
            for node in list(graph_module.graph.nodes):
                if node.target in _ROW_MAJOR and not _is_row_major(node.args[0]):
                    _turn(node, fake_mode)
        return program


def _order(node: Node) -> list[int]:
    return list(node.meta["val"].dim_order())


def _is_row_major(node: Node) -> bool:
    return _order(node) == sorted(_order(node))


def _turn(node: Node, fake_mode: FakeTensorMode) -> None:
    """`node` with its first operand copied, and its result copied back where it lay otherwise."""
    source, *others = node.args
    rows = _copied(node, source, fake_mode)
    turned = insert_before(node, node.target._op, (rows, *others), dict(node.kwargs), fake_mode)
    result = turned if _order(turned) == _order(node) else _copied(node, turned, fake_mode, _order(node))
    node.replace_all_uses_with(result)
    node.graph.erase_node(node)


def _copied(
    before: Node, source: Node, fake_mode: FakeTensorMode, order: list[int] | None = None
) -> Node:
    order = sorted(_order(source)) if order is None else order
    return insert_before(before, _COPY, (source,), {"dim_order": order}, fake_mode)
