"""Weights of float16 and bfloat16: which are stored so, and what reads them as floats."""

from collections.abc import Iterator
from dataclasses import replace

import torch
from torch import Tensor

from backends.cpu.compiler.graph import Step, StepGraph, Value, constant
from backends.cpu.compiler.kinds.convert import HALVES, Convert
from backends.cpu.compiler.kinds.convolution import Convolution, ConvolutionH
from backends.cpu.compiler.kinds.depthwise import Depthwise
from backends.cpu.compiler.kinds.embedding import Embedding
from backends.cpu.compiler.kinds.embedding_q import EmbeddingQ
from backends.cpu.compiler.kinds.grouped_gemm import GroupedGemm, GroupedGemmH
from backends.cpu.compiler.kinds.matmul import Matmul
from backends.cpu.compiler.kinds.operation import Operation
from backends.cpu.compiler.kinds.product import Product, ProductH
from backends.cpu.compiler.kinds.product_i8 import ProductI8
from backends.cpu.compiler.kinds.product_q import ProductQ
from backends.cpu.compiler.options import Options

# Which input of a step is a weight.
_WEIGHTS: dict[type[Operation], int] = {
    Product: 1,
    GroupedGemm: 1,
    Convolution: 1,
    Depthwise: 1,
    Matmul: 1,
    Embedding: 0,
}
_NUMBERS = (torch.float32, *HALVES)
# What reads halves where they lie.
_READERS = (ProductH, GroupedGemmH, ConvolutionH, Embedding, Convert, ProductQ, ProductI8, EmbeddingQ)


def narrowed(tensor: Tensor, dtype: torch.dtype) -> Tensor:
    """`tensor` in `dtype`; as it is where an element has no number there."""
    narrow = tensor.to(dtype)
    return tensor if bool((narrow.isinf() & ~tensor.isinf()).any()) else narrow


def store_weights(graph: StepGraph, options: Options) -> None:
    """Let weights be of the dtype that the options say, if they do; biases stay floats."""
    if options.weights == "auto":
        return
    dtype, done = getattr(torch, options.weights), dict[Value, Value]()
    graph.steps = [_stored(step, dtype, done) for step in graph.steps]


def _stored(step: Step, dtype: torch.dtype, done: dict[Value, Value]) -> Step:
    index = _WEIGHTS.get(type(step.operation))
    weight = None if index is None else step.inputs[index].constant
    if index is None or weight is None or weight.dtype not in _NUMBERS:
        return step
    old = step.inputs[index]
    if old not in done:
        done[old] = constant(narrowed(weight.float(), dtype))
    return replace(step, inputs=(*step.inputs[:index], done[old], *step.inputs[index + 1 :]))


def read_as_floats(graph: StepGraph) -> None:
    """Put a `convert` where halves are read by a step that knows floats only, and after an embedding of halves."""
    done: dict[Value, Value] = {}
    graph.steps = [each for step in graph.steps for each in _converted(step, done)]


def _converted(step: Step, done: dict[Value, Value]) -> Iterator[Step]:
    if isinstance(step.operation, Embedding) and step.inputs[0].dtype != step.output.dtype:
        rows = Value(step.inputs[0].dtype, step.output.dims)
        yield replace(step, outputs=(rows,))
        yield Step(Convert(), (rows,), step.outputs, nodes=step.nodes)
        return
    halves = [each for each in step.inputs if each.dtype in HALVES]
    if halves and not isinstance(step.operation, _READERS):
        for each in (each for each in halves if each.constant is not None and each not in done):
            done[each] = Value(torch.float32, each.dims)
            yield Step(Convert(), (each,), (done[each],), nodes=step.nodes)
        step = replace(step, inputs=tuple(done.get(each, each) for each in step.inputs))
    yield step
