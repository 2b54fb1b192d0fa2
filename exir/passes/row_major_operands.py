"""Copies operands to row-major order for kernels that require it."""

import operator
from dataclasses import dataclass, field
from typing import ClassVar

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.export import ExportedProgram
from torch.fx import Node, map_arg

import exir.dialects.dim_order_ops  # noqa: F401  (registers the operator used below)
from exir.dialects.edge import EdgeOpOverload, edge_op
from exir.graph.control_flow import graphs
from exir.graph.edit import insert_before
from exir.graph.fake_mode import fake_mode_of
from exir.graph.graph_builder import inherited_meta
from exir.operators.kernels import KernelTable
from exir.operators.layouts_of import takes_rows_alone
from exir.pass_manager import ProgramPass

_ATEN = torch.ops.aten
_COPY = torch.ops.dim_order_ops._to_dim_order_copy.default
_ANY_ORDER = frozenset(
    edge_op(op)
    for op in (
        _ATEN._to_copy.default,
        _ATEN.clone.default,
        _ATEN.convolution.default,
        _ATEN.max_pool2d_with_indices.default,
        _ATEN.upsample_bilinear2d.vec,
        _ATEN.upsample_nearest2d.vec,
    )
)


# Operators whose kernels, here and in the official runtime, accept only row-major tensors.
ROW_MAJOR_ONLY = frozenset(
    {
        "aten::linear",
        "aten::native_layer_norm",
        "quantized_bytes::convolution",
        "quantized_bytes::linear",
        "quantized_weight::dynamic_linear",
        "quantized_weight::dynamic_linear_per_tensor",
        "quantized_weight::linear",
        "quantized_weight::linear_with_minimum",
    }
)


@dataclass(frozen=True)
class RowMajorOperands(ProgramPass):
    """Copies operands to row-major order for kernels that accept no other order.

    kernels: the table of the kernels that run the program. By default, they are the kernels of the
        official runtime. Its convolution, max pooling and resizing kernels accept channels-last
        tensors; its elementwise kernels do so if all tensors have that order. Other kernels reject
        such tensors, or read them as row-major.

    Before: the edge dialect. After: operators with such kernels take and return row-major tensors.
    Results are copied to their original order for the nodes that use them. If that order is neither
    row-major nor channels-last, the node is unchanged.
    """

    name: ClassVar[str] = "row_major_operands"
    kernels: KernelTable | None = None

    def run(self, program: ExportedProgram) -> ExportedProgram:
        fake_mode = fake_mode_of(program.graph)
        for graph_module in graphs(program.graph_module):
            rows = _RowMajorRewriter(fake_mode)
            for node in list(graph_module.graph.nodes):
                if _is_convertible(node) and self._needs_rows(node):
                    rows.convert(node)
            if rows.copies:
                graph_module.graph.eliminate_dead_code()
        return program

    def _needs_rows(self, node: Node) -> bool:
        if self.kernels is None:
            return node.target._op._schema.name in ROW_MAJOR_ONLY or _is_official_misfit(node)
        return takes_rows_alone(node, self.kernels)


def _is_convertible(node: Node) -> bool:
    """Return true if an operand is not row-major, and the results can be copied back."""
    if not isinstance(node.target, EdgeOpOverload):
        return False
    if isinstance(node.meta.get("val"), torch.SymInt):  # a size is the same in every order
        return False
    if all(map(_is_row_major, _orders_of_operands(node))):
        return False
    return all(_can_be_copied_to(_dim_order(value)) for value in _result_values(node))


def _is_official_misfit(node: Node) -> bool:
    """Return true if the official kernel rejects or misreads a channels-last operand."""
    op, orders = node.target._op, _orders_of_operands(node)
    if op.namespace != "aten" or node.target in _ANY_ORDER or not any(map(_is_channels_last, orders)):
        return False
    is_of_one = _is_tensor(node) and orders == {_dim_order(node)}
    return torch.Tag.pointwise not in op.tags or not is_of_one


def _orders_of_operands(node: Node) -> set[tuple[int, ...]]:
    return {_dim_order(input_node) for input_node in node.all_input_nodes if _is_tensor(input_node)}


@dataclass
class _RowMajorRewriter:
    """Rewrites nodes. `copies` maps a value to its row-major copy."""

    fake_mode: FakeTensorMode
    copies: dict[Node, Node] = field(default_factory=dict)

    def convert(self, node: Node) -> None:
        """Give `node` row-major operands, and copy its results back to their old order."""
        args, kwargs = map_arg((node.args, node.kwargs), lambda operand: self._in_rows(operand, node))
        converted = insert_before(node, node.target._op, args, kwargs, self.fake_mode)
        if _is_tensor(node):
            self._put_back(node, converted)
        else:
            for item in list(node.users):
                self._put_back(item, _insert_getitem(item, converted))
                node.graph.erase_node(item)
        node.graph.erase_node(node)

    def _in_rows(self, operand: Node, before: Node) -> Node:
        if not _is_tensor(operand) or _is_row_major(_dim_order(operand)):
            return operand
        return self.copies.get(operand) or self._row_major_copy(
            before, operand, sorted(_dim_order(operand))
        )

    def _put_back(self, node: Node, converted: Node) -> None:
        """Replace `node` with `converted` in the order of `node`."""
        result = converted
        if _dim_order(converted) != _dim_order(node):
            result = self._row_major_copy(node, converted, list(_dim_order(node)))
            self.copies[result] = converted
        node.replace_all_uses_with(result)

    def _row_major_copy(self, before: Node, source: Node, order: list[int]) -> Node:
        return insert_before(before, _COPY, (source,), {"dim_order": order}, self.fake_mode)


def _insert_getitem(item: Node, results: Node) -> Node:
    """Insert the same item of `results` before `item`."""
    with item.graph.inserting_before(item):
        new = item.graph.call_function(operator.getitem, (results, item.args[1]))
    new.meta = {**inherited_meta(item), "val": results.meta["val"][item.args[1]]}
    return new


def _result_values(node: Node) -> list[Node]:
    return [node] if _is_tensor(node) else list(node.users)


def _is_tensor(node: Node) -> bool:
    return isinstance(node.meta.get("val"), Tensor)


def _dim_order(node: Node) -> tuple[int, ...]:
    return tuple(node.meta["val"].dim_order())


def _can_be_copied_to(order: tuple[int, ...]) -> bool:
    """Return true if the copy operator supports `order`: row-major or channels-last."""
    return _is_row_major(order) or _is_channels_last(order)


def _is_channels_last(order: tuple[int, ...]) -> bool:
    return len(order) in (4, 5) and order == (0, *range(2, len(order)), 1)


def _is_row_major(order: tuple[int, ...]) -> bool:
    return order == tuple(range(len(order)))
