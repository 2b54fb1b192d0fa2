"""Lowering of layer norm, RMS norm and softmax."""

import torch
from torch._ops import OpOverload
from torch.fx import Node

from backends.cpu.compiler.dims import product
from backends.cpu.compiler.graph import Value, constant
from backends.cpu.compiler.lower.builder import Builder, Order, as_it_is, view
from backends.cpu.compiler.lower.program import Program, argument, dims_at, tensor_of
from backends.cpu.compiler.lower.rule import Refusal, Rule
from backends.cpu.schema.normalization import Norm, Softmax

_aten = torch.ops.aten
_X, _SIZES, _SCALE, _SHIFT, _LAYER_EPSILON = range(5)
_RMS_EPSILON = 3


def _lower_layer_norm(builder: Builder, node: Node) -> None:
    epsilon = float(argument(node, _LAYER_EPSILON, "eps", 1e-5))
    shift = argument(node, _SHIFT, "bias")
    _emit(builder, node, Norm(True, epsilon), () if shift is None else (_row(builder, node, shift, 0.0),))


def _lower_rms_norm(builder: Builder, node: Node) -> None:
    epsilon = argument(node, _RMS_EPSILON, "eps")
    default = torch.finfo(tensor_of(node).dtype).eps
    _emit(builder, node, Norm(False, default if epsilon is None else float(epsilon)), ())


def _emit(builder: Builder, node: Node, spec: Norm, shift: tuple[Value, ...]) -> None:
    """Emit a norm. The normalized dimensions are flattened to rows."""
    scale = _row(builder, node, argument(node, _SCALE, "weight"), 1.0)
    dims = _as_rows(node)
    output = builder.write(node)
    inputs = [view(builder.read(node.args[_X]), dims), scale, *shift]
    builder.op(spec, inputs, view(output, dims), node)


def _as_rows(node: Node) -> tuple[int, ...]:
    dims, count = dims_at(node), len(node.args[_SIZES])
    return (*dims[:-count], product(dims[-count:]))


def _row(builder: Builder, node: Node, given: Node | None, default: float) -> Value:
    found = None if given is None else builder.program.constant(given)
    return constant(torch.full((_as_rows(node)[-1],), default) if found is None else found.flatten())


def _refuses_norm(program: Program, node: Node) -> Refusal:
    for index, name in ((_SCALE, "weight"), (_SHIFT, "bias")):
        row = argument(node, index, name)
        if isinstance(row, Node) and program.constant(row) is None:
            return f"the {name} is not constant"
    return None if isinstance(_as_rows(node)[-1], int) else "the row size must be static"


def _lower_softmax(builder: Builder, node: Node, spec: Softmax) -> None:
    x, dim = node.args[:2]
    order = _with_last(builder.layout(x).order, dim % max(1, tensor_of(x).dim()))
    dims = _dims_in(node, order)
    output = builder.write(node, order)
    builder.op(spec, [view(builder.read(x, order), dims)], view(output, dims), node)


def _with_last(order: Order, dim: int) -> Order:
    """Return `order` if `dim` is innermost.

    Otherwise, return contiguous order with `dim` moved to the end.
    """
    if not order or order[-1] == dim:
        return order
    return (*(each for each in as_it_is(len(order)) if each != dim), dim)


def _dims_in(node: Node, order: Order) -> tuple[int, ...]:
    """Return the sizes in memory order. A scalar becomes a row of one element."""
    return tuple(dims_at(node)[dim] for dim in order) or (1,)


def _softmax(spec: Softmax) -> Rule:
    return Rule(lambda builder, node: _lower_softmax(builder, node, spec))


RULES: dict[OpOverload, Rule] = {
    _aten.layer_norm.default: Rule(_lower_layer_norm, _refuses_norm, whole=True),
    _aten.rms_norm.default: Rule(_lower_rms_norm, _refuses_norm, whole=True),
    _aten._softmax.default: _softmax(Softmax()),
    _aten._log_softmax.default: _softmax(Softmax(logarithm=True)),
}
