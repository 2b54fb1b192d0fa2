"""Lowering of `topk`."""

import torch
from torch._ops import OpOverload
from torch.fx import Node

from backends.cpu.compiler.dims import product
from backends.cpu.compiler.graph import TensorLayout, Value
from backends.cpu.compiler.lower.builder import Builder, Order, as_it_is, view
from backends.cpu.compiler.lower.parts import parts_of
from backends.cpu.compiler.lower.program import Program, argument, dims_at, tensor_of
from backends.cpu.compiler.lower.rule import Refusal, Rule
from backends.cpu.schema.indexing import Topk
from backends.cpu.schema.kernel_sizes import TOPK_MAX_K

_aten = torch.ops.aten
_VALUES, _INDICES = range(2)


def _lower_topk(builder: Builder, node: Node) -> None:
    order = _order(node)
    x = builder.read(node.args[0], order)
    rows = view(x, (product(x.dims[:-1]), x.dims[-1]))
    parts = parts_of(node)
    for part in (_VALUES, _INDICES):
        for each in parts.get(part, []):
            output = Value(tensor_of(each).dtype, (rows.dims[0], node.args[1]))
            builder.op(Topk(not argument(node, 3, "largest", True), part == _INDICES), [rows], output, node)
            sizes = tuple(dims_at(each)[dim] for dim in order)
            builder.alias(each, TensorLayout(view(output, sizes), order))


def _order(node: Node) -> Order:
    """Return the memory order with the searched dimension innermost."""
    rank = tensor_of(node.args[0]).dim()
    dim = argument(node, 2, "dim", -1) % rank
    return (*(each for each in as_it_is(rank) if each != dim), dim)


def _refuses_topk(program: Program, node: Node) -> Refusal:
    x, count = tensor_of(node.args[0]), node.args[1]
    if x.dtype != torch.float32 or x.dim() == 0:
        return f"topk of a {x.dim()}-D {x.dtype} tensor is not supported; only float32 with at least one dimension"
    if count > TOPK_MAX_K:
        return f"topk of more than {TOPK_MAX_K} values is not supported"
    return None


RULES: dict[OpOverload, Rule] = {
    _aten.topk.default: Rule(_lower_topk, _refuses_topk, dtypes=(torch.float32, torch.int64)),
}
