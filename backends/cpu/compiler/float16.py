"""Store weights as float16 or bfloat16, and widen them for float32 ops."""

from collections.abc import Iterator
from dataclasses import replace

import torch
from torch import Tensor

from backends.cpu.compiler.graph import Op, OpGraph, Value, constant
from backends.cpu.compiler.ops.quantization import FLOAT16_DTYPES
from backends.cpu.compiler.options import Options
from backends.cpu.schema.convolution import ConvF32, ConvF32F16w, DwconvF32
from backends.cpu.schema.declarations import OpSpec
from backends.cpu.schema.embedding import Embedding, EmbeddingQw
from backends.cpu.schema.gemm import (
    GemmF32,
    GemmF32F16w,
    GemmF32Qbw,
    GemmQd8Qbw,
    GroupedGemmF32,
    GroupedGemmF32F16w,
    Matmul,
)
from backends.cpu.schema.quantization import Cast

# Index of the weight in the inputs of each op.
_WEIGHTS: dict[type[OpSpec], int] = {
    GemmF32: 1,
    GroupedGemmF32: 1,
    ConvF32: 1,
    DwconvF32: 1,
    Matmul: 1,
    Embedding: 0,
}
_NUMBERS = (torch.float32, *FLOAT16_DTYPES)
# Ops that can read float16 and bfloat16 weights directly.
_READERS = (GemmF32F16w, GroupedGemmF32F16w, ConvF32F16w, Embedding, Cast, GemmF32Qbw, GemmQd8Qbw, EmbeddingQw)


def narrowed(tensor: Tensor, dtype: torch.dtype) -> Tensor:
    """Return `tensor` as `dtype`, or unchanged if a finite element is out of range."""
    narrow = tensor.to(dtype)
    return tensor if bool((narrow.isinf() & ~tensor.isinf()).any()) else narrow


def store_weights(graph: OpGraph, options: Options) -> None:
    """Convert weights to the dtype `options.weights`, unless it is "auto".

    Biases stay float32.
    """
    if options.weights == "auto":
        return
    dtype, done = getattr(torch, options.weights), dict[Value, Value]()
    graph.ops = [_stored(op, dtype, done) for op in graph.ops]


def _stored(op: Op, dtype: torch.dtype, done: dict[Value, Value]) -> Op:
    index = _WEIGHTS.get(type(op.spec))
    weight = None if index is None else op.inputs[index].constant
    if index is None or weight is None or weight.dtype not in _NUMBERS:
        return op
    old = op.inputs[index]
    if old not in done:
        done[old] = constant(narrowed(weight.float(), dtype))
    return replace(op, inputs=(*op.inputs[:index], done[old], *op.inputs[index + 1 :]))


def widen_reads(graph: OpGraph) -> None:
    """Insert a `cast` before ops that read only float32, and after float16 embeddings.

    bfloat16 is treated like float16.
    """
    done: dict[Value, Value] = {}
    graph.ops = [each for op in graph.ops for each in _converted(op, done)]


def _converted(op: Op, done: dict[Value, Value]) -> Iterator[Op]:
    if isinstance(op.spec, Embedding) and op.inputs[0].dtype != op.output.dtype:
        rows = Value(op.inputs[0].dtype, op.output.dims)
        yield replace(op, outputs=(rows,))
        yield Op(Cast(), (rows,), op.outputs, nodes=op.nodes)
        return
    halves = [each for each in op.inputs if each.dtype in FLOAT16_DTYPES]
    if halves and not isinstance(op.spec, _READERS):
        for each in (each for each in halves if each.constant is not None and each not in done):
            done[each] = Value(torch.float32, each.dims)
            yield Op(Cast(), (each,), (done[each],), nodes=op.nodes)
        op = replace(op, inputs=tuple(done.get(each, each) for each in op.inputs))
    yield op
