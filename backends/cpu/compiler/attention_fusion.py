"""One product for queries, keys and values; and the workspaces of attention, written as one step or as several."""

from dataclasses import replace

import torch

from backends.cpu.compiler import cost
from backends.cpu.compiler.graph import Step, StepGraph, Value, constant
from backends.cpu.compiler.kinds.activation import NONE
from backends.cpu.compiler.kinds.attention import Attention
from backends.cpu.compiler.kinds.convert import HALVES
from backends.cpu.compiler.kinds.matmul import WORKSPACE, Matmul
from backends.cpu.compiler.kinds.product import Product
from backends.cpu.compiler.options import Options
from backends.cpu.compiler.rewrite import Rewriter

_FLOAT_BYTES = 4
_X, _WEIGHT, _BIAS = range(3)


def prepare_attention(graph: StepGraph, options: Options) -> None:
    """Join products that only an attention reads, and give attention, and products of what is computed, workspaces."""
    rewriter = Rewriter(graph)
    for step in rewriter.steps():
        if isinstance(step.operation, Matmul):
            lanes = cost.lanes(options.threads, _FLOAT_BYTES * WORKSPACE)
            rewriter.replace(step, replace(step, workspaces=(Value(torch.float32, (lanes, WORKSPACE)),)))
        elif isinstance(step.operation, Attention):
            ready = _with_workspace(graph, step, options)
            rewriter.replace(step, ready)
            _join_products(rewriter, ready)
    rewriter.finish()


def _with_workspace(graph: StepGraph, step: Step, options: Options) -> Step:
    assert isinstance(step.operation, Attention)
    _, queries, row = step.output.dims
    is_half = step.inputs[1].dtype in HALVES
    floats = step.operation.workspace(queries, row // step.operation.heads, is_half)
    lanes = cost.lanes(options.threads, _FLOAT_BYTES * graph.bounds.most([floats]))
    return replace(step, workspaces=(Value(torch.float32, (lanes, floats)),))


def _join_products(rewriter: Rewriter, step: Step) -> None:
    """Let one product compute what the attention reads, when products of the same rows do."""
    writers = [rewriter.writer(value) for value in step.inputs[:3]]
    products = [each for each in writers if each is not None and _is_plain(rewriter, each)]
    if len(products) < 3 or any(each.inputs[_X] is not products[0].inputs[_X] for each in products):
        return
    joined = _joined(products)
    last = next(each for each in products if _is_last(rewriter, each, products))
    rewriter.merge([each for each in products if each is not last], last, joined)
    assert isinstance(step.operation, Attention)
    q, k, _ = (int(each.output.dims[-1]) for each in products)
    operation = replace(step.operation, offsets=(0, q, q + k))
    rewriter.replace(step, replace(step, operation=operation, inputs=(*[joined.output] * 3, *step.inputs[3:])))


def _is_plain(rewriter: Rewriter, step: Step) -> bool:
    operation = step.operation
    plain = isinstance(operation, Product) and operation.activation == NONE
    return plain and len(step.inputs) == _BIAS + 1 and rewriter.sole_use(step.output)


def _is_last(rewriter: Rewriter, step: Step, steps: list[Step]) -> bool:
    return all(rewriter.comes_after(step, each.output) for each in steps if each is not step)


def _joined(products: list[Step]) -> Step:
    """A product with the columns of all, one beside the other."""
    weights = [each.inputs[_WEIGHT].constant for each in products]
    biases = [each.inputs[_BIAS].constant for each in products]
    weight = torch.cat([each for each in weights if each is not None])
    bias = torch.cat([each for each in biases if each is not None])
    first = products[0]
    output = Value(first.output.dtype, (*first.output.dims[:-1], weight.shape[0]))
    nodes = tuple(node for each in products for node in each.nodes)
    return Step(first.operation, (first.inputs[_X], constant(weight), constant(bias)), (output,), nodes=nodes)
