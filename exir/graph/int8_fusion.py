"""Fuses operators between int8 tensors: layers, binary operators, means, LUTs.

The result consists of operators of the edge dialect, which portable kernels compute. Weights are not
repacked. The CPU backend's compiler has a separate fusion (backends/cpu/compiler/int8_fusion.py) for
graphs of its own ops.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch._ops import OpOverload
from torch.export import ExportedProgram
from torch.fx import Node

from exir.dialects.edge import edge_op
from exir.graph.constants import ConstantTable
from exir.graph.edit import insert_before, replace_and_erase
from exir.graph.fake_mode import fake_mode_of
from exir.graph.int8_tables import Int8Tables
from exir.graph.int8_tensors import (
    Int8Weight,
    QuantizedTensor,
    QuantParams,
    constant_floats,
    int8_weight,
    quantize_params,
    quantized_source,
)
from exir.graph.linear_layers import LinearLayer, linear_layers, of_all_rows
from exir.graph.quantized_weight import is_dequantized

_ATEN = torch.ops.aten
_INT8 = torch.ops.quantized_bytes

STAYS_FLOAT = "stays_float"
"""Key of a node's `meta`: the reason why it computes in float between quantized tensors."""

_VIEW = edge_op(_ATEN.view_copy.default)
_CONVOLUTION = edge_op(_ATEN.convolution.default)
_BOUNDS = tuple(edge_op(packet.default) for packet in (_ATEN.relu, _ATEN.hardtanh, _ATEN.clamp))
_BINARY_OPS = {
    edge_op(_ATEN.add.Tensor): _INT8.add.default,
    edge_op(_ATEN.sub.Tensor): _INT8.add.default,
    edge_op(_ATEN.mul.Tensor): _INT8.mul.default,
    edge_op(_ATEN.maximum.default): _INT8.maximum.default,
    edge_op(_ATEN.minimum.default): _INT8.minimum.default,
}
_SUB, _MUL = edge_op(_ATEN.sub.Tensor), edge_op(_ATEN.mul.Tensor)
_MEAN, _POOL = edge_op(_ATEN.mean.dim), edge_op(_ATEN.avg_pool2d.default)

# The largest K for which a sum of 8-bit by 9-bit products fits in int32.
_DEPTH = 65536

_Refusal = str
_Result = Node | _Refusal | None


@dataclass(frozen=True)
class _FusionCandidate:
    """A fusion candidate: `node` computes the value that `quantize` quantizes.

    Between them are only `views` and clamps; `params` includes the limits of the clamps.
    """

    quantize: Node
    node: Node
    params: QuantParams
    views: tuple[Node, ...] = ()


class Int8Fusion:
    """Fuses the producers of quantizing nodes. One instance serves one program."""

    def __init__(self, program: ExportedProgram) -> None:
        self._program = program
        self._fake_mode = fake_mode_of(program.graph)
        self._constants = ConstantTable(program, self._fake_mode)
        self._tables = Int8Tables(self._constants)
        self._layers = self._find_layers()

    def visit(self, quantize: Node) -> None:
        """Replace `quantize` with an int8 operator, or record why its operand stays float."""
        params = quantize_params(quantize)
        if params is None:
            return
        candidate = _candidate_of(quantize, params)
        if candidate.node.op == "placeholder":
            return
        for rule in (
            self._reuse_source,
            self._fuse_layer,
            self._fuse_binary,
            self._fuse_mean,
            self._fuse_table,
        ):
            result = rule(candidate)
            if isinstance(result, Node):
                replace_and_erase(quantize, result)
                return
            if isinstance(result, str):
                candidate.node.meta[STAYS_FLOAT] = result
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

    def _reuse_source(self, candidate: _FusionCandidate) -> _Result:
        """Return the dequantized tensor itself, if the quantization parameters are equal."""
        quantized = quantized_source(candidate.quantize.args[0])
        return (
            quantized.node
            if quantized is not None and quantized.params == quantize_params(candidate.quantize)
            else None
        )

    def _fuse_layer(self, candidate: _FusionCandidate) -> _Result:
        node = candidate.node
        if node in self._layers:
            layer, weight = self._layers[node]
            return self._fuse_weighted(candidate, _INT8.linear.default, layer.x, weight, layer.bias, ())
        if node.target is not _CONVOLUTION:
            return None
        x, weight, bias, stride, padding, dilation, transposed, _, groups = node.args
        if transposed:
            return "a transposed convolution has no int8 kernel"
        rest = stride, padding, dilation, groups
        return self._fuse_weighted(candidate, _INT8.convolution.default, x, weight, bias, rest)

    def _fuse_weighted(
        self,
        candidate: _FusionCandidate,
        op: OpOverload,
        x: Node,
        weight: Node,
        bias: Node | None,
        rest: tuple[Any, ...],
    ) -> _Result:
        quantized, weights = quantized_source(x), int8_weight(weight, self._constants)
        if isinstance(weights, str):
            return weights
        refusal = _unsupported_reason(candidate, [quantized])
        if refusal or quantized is None:
            return refusal
        added = constant_floats(bias, self._constants) if bias is not None else None
        if bias is not None and added is None:
            return "its bias is computed, not a constant"
        if weights.node.meta["val"][0].numel() > _DEPTH:
            return f"K above {_DEPTH} can overflow int32 accumulators"
        parameters = self._requantization_constants(candidate, quantized, weights, added)
        args = quantized.node, quantized.params.zero_point, weights.node, *parameters, *rest
        return self._insert_call(candidate, op, *args, *_quant_limits(candidate.params))

    def _requantization_constants(
        self,
        candidate: _FusionCandidate,
        quantized: QuantizedTensor,
        weights: Int8Weight,
        bias: torch.Tensor | None,
    ) -> tuple[Node, Node | None]:
        """Return constants that requantize accumulators, and the bias in result steps."""
        name, step = self._constants.name(weights.node), candidate.params.scale
        factors = (weights.scales.double() * quantized.params.scale / step).float()
        added = None if bias is None else (bias.double() / step).float()
        return (
            self._constants.add(f"{name}_factors", factors.contiguous()),
            None if added is None else self._constants.add(f"{name}_bias", added.contiguous()),
        )

    def _fuse_binary(self, candidate: _FusionCandidate) -> _Result:
        node = candidate.node
        if node.target not in _BINARY_OPS or node.kwargs:
            return None
        a, b = (quantized_source(arg) for arg in node.args[:2])
        if a is None or b is None:
            return None
        refusal = _unsupported_reason(candidate, [a, b])
        if refusal:
            return refusal
        first, second = _scale_factors(node, a.params.scale, b.params.scale, candidate.params.scale)
        args = *_with_zero_point(a), first, *_with_zero_point(b), second
        return self._insert_call(
            candidate, _BINARY_OPS[node.target], *args, *_quant_limits(candidate.params)
        )

    def _fuse_mean(self, candidate: _FusionCandidate) -> _Result:
        node = candidate.node
        if node.target not in (_MEAN, _POOL) or node.kwargs:
            return None
        quantized = quantized_source(node.args[0])
        refusal = _unsupported_reason(candidate, [quantized])
        if refusal or quantized is None:
            return refusal
        if quantized.params != candidate.params:
            return "the scales of its result and its operand differ"
        if node.target is _MEAN:
            dims, keepdim = _with_defaults(node.args[1:], ([], False))
            dims = dims or list(range(quantized.node.meta["val"].dim()))
            return self._insert_call(
                candidate, _INT8.mean.default, quantized.node, dims, keepdim, quantized.params.zero_point
            )
        kernel, stride, *rest = _with_defaults(node.args[1:], (None, [], [0, 0], False, True, None))
        args = quantized.node, kernel, stride or kernel, *rest, quantized.params.zero_point
        return self._insert_call(candidate, _INT8.avg_pool2d.default, *args)

    def _fuse_table(self, candidate: _FusionCandidate) -> _Result:
        """Fuse an elementwise function of one tensor into a lookup table."""
        found = self._tables.find(candidate.quantize)
        if found is None:
            return "no int8 kernel computes it"
        quantized, table = found
        node = self._constants.add(f"{candidate.quantize.name}_table", table)
        return insert_before(
            candidate.quantize, _INT8.table.default, (quantized, node), {}, self._fake_mode
        )

    def _insert_call(self, candidate: _FusionCandidate, op: OpOverload, *args: Any) -> Node:
        """Insert a call of `op`, and apply the views of `candidate` to it."""
        result = insert_before(candidate.quantize, op, args, {}, self._fake_mode)
        for view in candidate.views:
            result = insert_before(
                candidate.quantize, view.target._op, (result, *view.args[1:]), {}, self._fake_mode
            )
        return result


def _candidate_of(quantize: Node, params: QuantParams) -> _FusionCandidate:
    """Return the fusion candidate of `quantize`, with clamps and views removed."""
    candidate = _FusionCandidate(quantize, quantize.args[0], params)
    while len(candidate.node.users) == 1 and (
        candidate.node.target in _BOUNDS or candidate.node.target is _VIEW
    ):
        node = candidate.node
        if not isinstance(node.args[0], Node) or len(node.args[0].users) != 1:
            break
        if node.target in _BOUNDS and any(isinstance(bound, Node) for bound in node.args[1:]):
            break
        if node.target is _VIEW:
            candidate = replace(candidate, node=node.args[0], views=(node, *candidate.views))
        else:
            candidate = replace(
                candidate, node=node.args[0], params=_restrict_to_clamp(node, candidate.params)
            )
    return candidate


def _restrict_to_clamp(bound: Node, params: QuantParams) -> QuantParams:
    """Restrict `params` to the quantized results of the clamp `bound`."""
    defaults = {_BOUNDS[0]: (0, None), _BOUNDS[1]: (-1, 1), _BOUNDS[2]: (None, None)}[bound.target]
    low, high = _with_defaults(bound.args[1:], defaults)
    return replace(
        params,
        low=params.low if low is None else params.quantize(low),
        high=params.high if high is None else params.quantize(high),
    )


def _with_defaults(args: Sequence[Any], defaults: Sequence[Any]) -> list[Any]:
    return [*args[: len(defaults)], *defaults[len(args) :]]


def _unsupported_reason(
    candidate: _FusionCandidate, operands: Sequence[QuantizedTensor | None]
) -> _Refusal | None:
    """Return why int8 kernels do not support these operands, or None."""
    if any(operand is None for operand in operands):
        return "an operand is float"
    nodes = [candidate.node, *(operand.node for operand in operands if operand is not None)]
    if any(
        operand.params.dtype != candidate.params.dtype for operand in operands if operand is not None
    ):
        return "the dtypes of its operands and its result differ"
    if len(candidate.node.users) != 1:
        return "its float result has other users"
    if not all(_is_row_major(node) for node in nodes):
        return "its tensors are not in row-major order"
    return None


def _is_row_major(node: Node) -> bool:
    value = node.meta["val"]
    return list(value.dim_order()) == list(range(value.dim()))


def _scale_factors(node: Node, first: float, second: float, step: float) -> tuple[float, float]:
    """Return the factors from operand steps to result steps.

    For `mul`, the first factor includes the product of the scales, and the second is 1.
    """
    if node.target is _MUL:
        return first * second / step, 1.0
    return first / step, (-second if node.target is _SUB else second) / step


def _with_zero_point(quantized: QuantizedTensor) -> tuple[Node, int]:
    return quantized.node, quantized.params.zero_point


def _quant_limits(params: QuantParams) -> tuple[int, int, int]:
    return params.zero_point, params.low, params.high
