"""Fuses operators between int8 tensors: layers, binary operators, means, LUTs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch._ops import OpOverload
from torch.export import ExportedProgram
from torch.fx import Node

from exir.dialects.edge import edge_op
from exir.graph.byte_codes import (
    Codes,
    Reading,
    WeightCodes,
    constant_floats,
    dequantized_codes,
    quantized_reading,
    weight_codes,
)
from exir.graph.byte_tables import ByteTables
from exir.graph.constants import ConstantTable
from exir.graph.edit import insert_before, replace_and_erase
from exir.graph.fake_mode import fake_mode_of
from exir.graph.linear_layers import LinearLayer, linear_layers, of_all_rows
from exir.graph.quantized_weight import is_dequantized

_ATEN = torch.ops.aten
_BYTES = torch.ops.quantized_bytes

STAYS_FLOAT = "stays_float"
"""Key of a node's `meta`: why it computes floats that are quantized."""

_VIEW = edge_op(_ATEN.view_copy.default)
_CONVOLUTION = edge_op(_ATEN.convolution.default)
_BOUNDS = tuple(edge_op(each.default) for each in (_ATEN.relu, _ATEN.hardtanh, _ATEN.clamp))
_PAIRS = {
    edge_op(_ATEN.add.Tensor): _BYTES.add.default,
    edge_op(_ATEN.sub.Tensor): _BYTES.add.default,
    edge_op(_ATEN.mul.Tensor): _BYTES.mul.default,
    edge_op(_ATEN.maximum.default): _BYTES.maximum.default,
    edge_op(_ATEN.minimum.default): _BYTES.minimum.default,
}
_SUB, _MUL = edge_op(_ATEN.sub.Tensor), edge_op(_ATEN.mul.Tensor)
_MEAN, _POOL = edge_op(_ATEN.mean.dim), edge_op(_ATEN.avg_pool2d.default)

# The largest K for which a sum of 8-bit by 9-bit products fits in int32.
_DEPTH = 65536

_Refusal = str
_Result = Node | _Refusal | None


@dataclass(frozen=True)
class _Place:
    """A fusion candidate: `node` computes the value that `quantize` quantizes.

    In between are only `views`, and clamps, which `reading` includes as limits.
    """

    quantize: Node
    node: Node
    reading: Reading
    views: tuple[Node, ...] = ()


class ByteFusion:
    """Fuses the producers of quantizing nodes. One instance serves one program."""

    def __init__(self, program: ExportedProgram) -> None:
        self._program = program
        self._fake_mode = fake_mode_of(program.graph)
        self._constants = ConstantTable(program, self._fake_mode)
        self._tables = ByteTables(self._constants)
        self._layers = self._find_layers()

    def visit(self, quantize: Node) -> None:
        """Replace `quantize` by an int8 operator, or record why its operand stays float."""
        reading = quantized_reading(quantize)
        if reading is None:
            return
        place = _place(quantize, reading)
        if place.node.op == "placeholder":
            return
        for rule in (self._same, self._product, self._pair, self._mean, self._table):
            result = rule(place)
            if isinstance(result, Node):
                replace_and_erase(quantize, result)
                return
            if isinstance(result, str):
                place.node.meta[STAYS_FLOAT] = result
                return

    def finish(self) -> None:
        """Remove dead code and unused constants."""
        self._program.graph.eliminate_dead_code()
        self._constants.drop_unused()

    def _find_layers(self) -> dict[Node, tuple[LinearLayer, Node]]:
        found = {}
        for weight in filter(is_dequantized, self._program.graph.nodes):
            for layer in map(of_all_rows, linear_layers(weight)):
                found[layer.node] = (layer, weight)
        return found

    def _same(self, place: _Place) -> _Result:
        """Return the dequantized tensor itself, if the quantization parameters are equal."""
        codes = dequantized_codes(place.quantize.args[0])
        return (
            codes.node
            if codes is not None and codes.reading == quantized_reading(place.quantize)
            else None
        )

    def _product(self, place: _Place) -> _Result:
        node = place.node
        if node in self._layers:
            layer, weight = self._layers[node]
            return self._weighted(place, _BYTES.linear.default, layer.x, weight, layer.bias, ())
        if node.target is not _CONVOLUTION:
            return None
        x, weight, bias, stride, padding, dilation, transposed, _, groups = node.args
        if transposed:
            return "a transposed convolution has no kernel in bytes"
        rest = stride, padding, dilation, groups
        return self._weighted(place, _BYTES.convolution.default, x, weight, bias, rest)

    def _weighted(
        self,
        place: _Place,
        op: OpOverload,
        x: Node,
        weight: Node,
        bias: Node | None,
        rest: tuple[Any, ...],
    ) -> _Result:
        codes, weights = dequantized_codes(x), weight_codes(weight, self._constants)
        if isinstance(weights, str):
            return weights
        refusal = _refusal(place, [codes])
        if refusal or codes is None:
            return refusal
        added = constant_floats(bias, self._constants) if bias is not None else None
        if bias is not None and added is None:
            return "its bias is computed, not a constant"
        if weights.node.meta["val"][0].numel() > _DEPTH:
            return f"sums of more than {_DEPTH} products may not fit 32 bits"
        parameters = self._parameters(place, codes, weights, added)
        args = codes.node, codes.reading.zero_point, weights.node, *parameters, *rest
        return self._insert(place, op, *args, *_limits(place.reading))

    def _parameters(
        self, place: _Place, codes: Codes, weights: WeightCodes, bias: torch.Tensor | None
    ) -> tuple[Node, Node | None]:
        """Return constants that requantize accumulators, and the bias in result steps."""
        name, step = self._constants.name(weights.node), place.reading.scale
        factors = (weights.scales.double() * codes.reading.scale / step).float()
        added = None if bias is None else (bias.double() / step).float()
        return (
            self._constants.add(f"{name}_factors", factors.contiguous()),
            None if added is None else self._constants.add(f"{name}_bias", added.contiguous()),
        )

    def _pair(self, place: _Place) -> _Result:
        node = place.node
        if node.target not in _PAIRS or node.kwargs:
            return None
        a, b = (dequantized_codes(each) for each in node.args[:2])
        if a is None or b is None:
            return None
        refusal = _refusal(place, [a, b])
        if refusal:
            return refusal
        first, second = _factors(node, a.reading.scale, b.reading.scale, place.reading.scale)
        args = *_read(a), first, *_read(b), second
        return self._insert(place, _PAIRS[node.target], *args, *_limits(place.reading))

    def _mean(self, place: _Place) -> _Result:
        node = place.node
        if node.target not in (_MEAN, _POOL) or node.kwargs:
            return None
        codes = dequantized_codes(node.args[0])
        refusal = _refusal(place, [codes])
        if refusal or codes is None:
            return refusal
        if codes.reading != place.reading:
            return "its result has another scale than its operand"
        if node.target is _MEAN:
            dims, keepdim = _given(node.args[1:], ([], False))
            dims = dims or list(range(codes.node.meta["val"].dim()))
            return self._insert(
                place, _BYTES.mean.default, codes.node, dims, keepdim, codes.reading.zero_point
            )
        kernel, stride, *rest = _given(node.args[1:], (None, [], [0, 0], False, True, None))
        args = codes.node, kernel, stride or kernel, *rest, codes.reading.zero_point
        return self._insert(place, _BYTES.avg_pool2d.default, *args)

    def _table(self, place: _Place) -> _Result:
        """Fuse an elementwise function of one tensor to a lookup table."""
        found = self._tables.find(place.quantize)
        if found is None:
            return "no kernel computes it in bytes"
        codes, table = found
        node = self._constants.add(f"{place.quantize.name}_table", table)
        return insert_before(place.quantize, _BYTES.table.default, (codes, node), {}, self._fake_mode)

    def _insert(self, place: _Place, op: OpOverload, *args: Any) -> Node:
        """Insert a call of `op`, and apply the views of `place` to it."""
        result = insert_before(place.quantize, op, args, {}, self._fake_mode)
        for view in place.views:
            result = insert_before(
                place.quantize, view.target._op, (result, *view.args[1:]), {}, self._fake_mode
            )
        return result


def _place(quantize: Node, reading: Reading) -> _Place:
    """Return the fusion candidate of `quantize`, with clamps and views removed."""
    place = _Place(quantize, quantize.args[0], reading)
    while len(place.node.users) == 1 and (place.node.target in _BOUNDS or place.node.target is _VIEW):
        node = place.node
        if not isinstance(node.args[0], Node) or len(node.args[0].users) != 1:
            break
        if node.target is _VIEW:
            place = replace(place, node=node.args[0], views=(node, *place.views))
        else:
            place = replace(place, node=node.args[0], reading=_bounded(node, place.reading))
    return place


def _bounded(bound: Node, reading: Reading) -> Reading:
    """Restrict `reading` to the quantized results of the clamp `bound`."""
    defaults = {_BOUNDS[0]: (0, None), _BOUNDS[1]: (-1, 1), _BOUNDS[2]: (None, None)}[bound.target]
    low, high = _given(bound.args[1:], defaults)
    return replace(
        reading,
        low=reading.low if low is None else reading.code(low),
        high=reading.high if high is None else reading.code(high),
    )


def _given(args: Sequence[Any], defaults: Sequence[Any]) -> list[Any]:
    return [*args[: len(defaults)], *defaults[len(args) :]]


def _refusal(place: _Place, operands: Sequence[Codes | None]) -> _Refusal | None:
    """Return why int8 kernels do not support these operands, or None."""
    if any(each is None for each in operands):
        return "an operand is float"
    nodes = [place.node, *(each.node for each in operands if each is not None)]
    if any(each.reading.dtype != place.reading.dtype for each in operands if each is not None):
        return "its operands and its result are of two dtypes"
    if len(place.node.users) != 1:
        return "its floats are used as well"
    if not all(_is_row_major(each) for each in nodes):
        return "its tensors are not in row-major order"
    return None


def _is_row_major(node: Node) -> bool:
    value = node.meta["val"]
    return list(value.dim_order()) == list(range(value.dim()))


def _factors(node: Node, first: float, second: float, step: float) -> tuple[float, float]:
    """Return the factors from operand steps to result steps.

    For `mul`, the first factor has the product of the scales, and the second is 1.
    """
    if node.target is _MUL:
        return first * second / step, 1.0
    return first / step, (-second if node.target is _SUB else second) / step


def _read(codes: Codes) -> tuple[Node, int]:
    return codes.node, codes.reading.zero_point


def _limits(reading: Reading) -> tuple[int, int, int]:
    return reading.zero_point, reading.low, reading.high
