"""Join query, key and value GEMMs, and add workspaces to SDPA and matmul."""

from dataclasses import replace

import torch

from backends.cpu.compiler import cost
from backends.cpu.compiler.graph import Op, OpGraph, Value, constant
from backends.cpu.compiler.options import Options
from backends.cpu.compiler.rewrite import Rewriter
from backends.cpu.schema.attention import SdpaF32
from backends.cpu.schema.gemm import MATMUL_WORKSPACE, GemmF32, Matmul
from backends.cpu.schema.records import NONE

_FLOAT_BYTES = 4
_X, _WEIGHT, _BIAS = range(3)


def prepare_attention(graph: OpGraph, options: Options) -> None:
    """Join the GEMMs that feed an SDPA, and add workspaces to `sdpa_f32` and `matmul`."""
    rewriter = Rewriter(graph)
    for op in rewriter.ops():
        if isinstance(op.spec, Matmul):
            lanes = cost.lanes(options.threads, _FLOAT_BYTES * MATMUL_WORKSPACE)
            rewriter.replace(op, replace(op, workspaces=(Value(torch.float32, (lanes, MATMUL_WORKSPACE)),)))
        elif isinstance(op.spec, SdpaF32):
            ready = _with_workspace(graph, op, options)
            rewriter.replace(op, ready)
            _join_products(rewriter, ready)
    rewriter.finish()


def _with_workspace(graph: OpGraph, op: Op, options: Options) -> Op:
    assert isinstance(op.spec, SdpaF32)
    _, queries, row = op.output.dims
    is_widened = op.inputs[1].dtype != torch.float32
    floats = op.spec.workspace(queries, row // op.spec.heads, is_widened)
    lanes = cost.lanes(options.threads, _FLOAT_BYTES * graph.bounds.most([floats]))
    return replace(op, workspaces=(Value(torch.float32, (lanes, floats)),))


def _join_products(rewriter: Rewriter, op: Op) -> None:
    """Join the query, key and value GEMMs of the SDPA `op` if they read the same rows."""
    writers = [rewriter.writer(value) for value in op.inputs[:3]]
    products = [each for each in writers if each is not None and _is_plain(rewriter, each)]
    if len(products) < 3 or any(each.inputs[_X] is not products[0].inputs[_X] for each in products):
        return
    joined = _joined(products)
    last = next(each for each in products if _is_last(rewriter, each, products))
    rewriter.merge([each for each in products if each is not last], last, joined)
    assert isinstance(op.spec, SdpaF32)
    q, k, _ = (int(each.output.dims[-1]) for each in products)
    spec = replace(op.spec, offsets=(0, q, q + k))
    rewriter.replace(op, replace(op, spec=spec, inputs=(*[joined.output] * 3, *op.inputs[3:])))


def _is_plain(rewriter: Rewriter, op: Op) -> bool:
    spec = op.spec
    plain = isinstance(spec, GemmF32) and spec.activation == NONE
    return plain and len(op.inputs) == _BIAS + 1 and rewriter.sole_use(op.output)


def _is_last(rewriter: Rewriter, op: Op, ops: list[Op]) -> bool:
    return all(rewriter.comes_after(op, each.output) for each in ops if each is not op)


def _joined(products: list[Op]) -> Op:
    """Return one GEMM with the concatenated columns of `products`."""
    weights = [each.inputs[_WEIGHT].constant for each in products]
    biases = [each.inputs[_BIAS].constant for each in products]
    weight = torch.cat([each for each in weights if each is not None])
    bias = torch.cat([each for each in biases if each is not None])
    first = products[0]
    output = Value(first.output.dtype, (*first.output.dims[:-1], weight.shape[0]))
    nodes = tuple(node for each in products for node in each.nodes)
    return Op(first.spec, (first.inputs[_X], constant(weight), constant(bias)), (output,), nodes=nodes)
