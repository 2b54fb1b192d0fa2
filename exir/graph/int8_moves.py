"""Moves operators that only move elements from float to int8 tensors."""

import operator
from dataclasses import dataclass

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.export import ExportedProgram
from torch.fx import Node, map_arg

from exir.dialects.edge import edge_op
from exir.graph.constants import ConstantTable
from exir.graph.edit import insert_before, replace_and_erase
from exir.graph.fake_mode import fake_mode_of
from exir.graph.graph_builder import inherited_meta
from exir.graph.int8_tensors import QuantParams, quantized_source

_ATEN = torch.ops.aten

# Their results are elements of their operands, or maxima and minima, for any dtype.
_MOVES = (
    *(
        _ATEN.view_copy.default,
        _ATEN.permute_copy.default,
        _ATEN.clone.default,
        _ATEN.expand_copy.default,
    ),
    *(
        _ATEN.squeeze_copy.default,
        _ATEN.squeeze_copy.dim,
        _ATEN.squeeze_copy.dims,
        _ATEN.unsqueeze_copy.default,
    ),
    *(_ATEN.slice_copy.Tensor, _ATEN.select_copy.int, _ATEN.index_select.default, _ATEN.cat.default),
    *(_ATEN.stack.default, _ATEN.flip.default, _ATEN.roll.default, _ATEN.repeat.default),
    *(_ATEN.pixel_shuffle.default, _ATEN.pixel_unshuffle.default, _ATEN.upsample_nearest2d.vec),
    *(_ATEN.amax.default, _ATEN.amin.default),
)
_MOVING = {edge_op(op) for op in _MOVES}
_PAD = edge_op(_ATEN.constant_pad_nd.default)
_POOL = edge_op(_ATEN.max_pool2d_with_indices.default)


def move_int8_elements(program: ExportedProgram) -> None:
    """Move elements as int8: dequantize after operators that only move elements."""
    fake_mode = fake_mode_of(program.graph)
    constants = ConstantTable(program, fake_mode)
    for node in list(program.graph.nodes):
        floats = _common_operand(node)
        if floats is not None and constants.tensor(floats.args[0]) is None:
            _QuantizedMove(floats, fake_mode).apply(node)


def _common_operand(node: Node) -> Node | None:
    """Return an operand of `node` if all operands have the same parameters.

    The result is None if `node` does more than move elements.
    """
    if node.target not in _MOVING and node.target is not _PAD and node.target is not _POOL:
        return None
    operands = [input_node for input_node in node.all_input_nodes if _is_float(input_node)]
    found = {_params_of(operand) for operand in operands}
    params = found.pop() if len(found) == 1 else None
    if params is None or (node.target is _PAD and not _is_representable(_pad_value(node), params)):
        return None
    return operands[0]


def _params_of(node: Node) -> QuantParams | None:
    quantized = quantized_source(node)
    return None if quantized is None else quantized.params


def _is_float(node: Node) -> bool:
    value = node.meta.get("val")
    return isinstance(value, Tensor) and value.is_floating_point()


def _pad_value(node: Node) -> float:
    return node.args[2] if len(node.args) > 2 else 0


def _is_representable(value: float, params: QuantParams) -> bool:
    return (params.quantize(value) - params.zero_point) * params.scale == value


@dataclass(frozen=True)
class _QuantizedMove:
    """An operator that moves quantized elements; `floats` dequantizes an operand."""

    floats: Node
    fake_mode: FakeTensorMode

    def apply(self, node: Node) -> None:
        """Replace `node`, which moves floats."""
        args = map_arg(node.args, _quantize_call)
        if node.target is _PAD:
            params = _params_of(self.floats)
            assert params is not None
            args = (*args[:2], params.quantize(_pad_value(node)))
        int8_move = insert_before(node, node.target._op, args, dict(node.kwargs), self.fake_mode)
        if node.target is _POOL:
            self._replace_items(node, int8_move)
        else:
            replace_and_erase(node, self._insert_dequantize(node, int8_move))

    def _replace_items(self, node: Node, int8_move: Node) -> None:
        """Dequantize the first of the pool's two results; the second contains indices."""
        for user in list(node.users):
            item = _insert_getitem(user, int8_move)
            replace_and_erase(user, self._insert_dequantize(user, item) if user.args[1] == 0 else item)
        node.graph.erase_node(node)

    def _insert_dequantize(self, before: Node, quantized: Node) -> Node:
        args = quantized, *self.floats.args[1:]
        return insert_before(before, self.floats.target._op, args, {}, self.fake_mode)


def _quantize_call(node: Node) -> Node:
    found = quantized_source(node)
    return node if found is None else found.node


def _insert_getitem(like: Node, results: Node) -> Node:
    with like.graph.inserting_before(like):
        item = like.graph.call_function(operator.getitem, (results, like.args[1]))
    item.meta = {**inherited_meta(like), "val": results.meta["val"][like.args[1]]}
    return item
