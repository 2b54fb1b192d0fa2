"""Weights and biases of steps as the steps read them."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from backends.cpu.compiler.graph import Step, StepGraph, Value, constant
from backends.cpu.compiler.kinds.block import WEIGHTS, Block, Part
from backends.cpu.compiler.kinds.convert import HALVES
from backends.cpu.compiler.kinds.convolution import Convolution, ConvolutionH
from backends.cpu.compiler.kinds.depthwise import Depthwise
from backends.cpu.compiler.kinds.embedding import Embedding
from backends.cpu.compiler.kinds.grouped_gemm import GroupedGemm, GroupedGemmH
from backends.cpu.compiler.kinds.operation import Operation
from backends.cpu.compiler.kinds.product import Product, ProductH
from backends.cpu.compiler.kinds.strassen import Strassen
from backends.cpu.compiler.kinds.winograd import Winograd
from backends.cpu.compiler.packing import (
    convolution_panels,
    group_bias,
    padded,
    panels,
    strassen_bias,
    strassen_panels,
    taps,
    winograd_panels,
)

Packed = tuple[Tensor, ...]


def _product(operation: Product, weight: Tensor, bias: Tensor) -> Packed:
    return panels(weight), padded(bias, 0)


def _grouped_gemm(operation: GroupedGemm, weight: Tensor, bias: Tensor) -> Packed:
    return panels(weight), padded(bias, 0)


def _strassen(operation: Strassen, weight: Tensor, bias: Tensor) -> Packed:
    return strassen_panels(weight), strassen_bias(bias)


def _convolution(operation: Convolution, weight: Tensor, bias: Tensor) -> Packed:
    if operation.planes:
        weight = weight.float()
    return convolution_panels(weight, operation.groups), group_bias(bias, operation.groups)


def _winograd(operation: Winograd, weight: Tensor, bias: Tensor) -> Packed:
    return winograd_panels(weight.float(), operation.side), padded(bias, 0)


def _depthwise(operation: Depthwise, weight: Tensor, bias: Tensor) -> Packed:
    return taps(weight), padded(bias, 0)


def _block(operation: Block, *weights: Tensor) -> Packed:
    starts = range(0, len(weights), WEIGHTS)
    return tuple(
        each for part, start in zip(operation.parts, starts) for each in _part(part, *weights[start : start + WEIGHTS])
    )


def _part(part: Part, *weights: Tensor) -> Packed:
    expand, expand_bias, *others, weight, bias = (each.float() for each in weights)
    taps_and_bias = _depthwise(part.filter, *others)
    expanded = _convolution(part.expand, expand, expand_bias)
    return (*expanded, *taps_and_bias, *_product(part.project, weight, bias))


# What makes of weights, inputs 1 and on, what is read.
_PACKERS: dict[type[Operation], Callable[..., Packed]] = {
    Product: _product,
    GroupedGemm: _grouped_gemm,
    Strassen: _strassen,
    Convolution: _convolution,
    Winograd: _winograd,
    Depthwise: _depthwise,
    Block: _block,
}
_WEIGHT_AND_BIAS = 2
_Done = dict[Any, Sequence[Value]]


def pack(graph: StepGraph) -> None:
    """Replace the weights of each step, inputs 1 and on, by what it reads.

    Before, weights are as PyTorch has them; steps that share some share what they become. A table whose rows
    are the weight of a product is read from the product's panels: the file has it once.
    """
    done: _Done = {}
    packed = [_packed(step, done) for step in graph.steps]
    panels_of = [(old, new.inputs[1]) for old, new in zip(graph.steps, packed) if isinstance(old.operation, Product)]
    graph.steps = [_with_panels(step, panels_of) for step in packed]


def _with_panels(step: Step, products: Sequence[tuple[Step, Value]]) -> Step:
    table = step.inputs[0].constant if isinstance(step.operation, Embedding) else None
    if table is None:
        return step
    same = (panels for product, panels in products if _is_same(product.inputs[1].constant, table))
    return replace(step, inputs=(next(same, step.inputs[0]), *step.inputs[1:]))


def _is_same(weight: Tensor | None, table: Tensor) -> bool:
    if weight is None or weight.dtype != table.dtype or weight.shape != table.shape:
        return False
    return torch.equal(weight, table)


def _packed(step: Step, done: _Done) -> Step:
    if type(step.operation) not in _PACKERS:
        return step
    packer, count = _PACKERS[type(step.operation)], _weights(step.operation)
    x, weights, others = step.inputs[0], step.inputs[1 : 1 + count], step.inputs[1 + count :]
    key = weights, step.operation
    if key not in done:
        done[key] = [constant(each) for each in packer(step.operation, *map(_elements, weights))]
    return replace(step, operation=_reader(step.operation, done[key][0]), inputs=(x, *done[key], *others))


def _weights(operation: Operation) -> int:
    return len(operation.parts) * WEIGHTS if isinstance(operation, Block) else _WEIGHT_AND_BIAS


def _reader(operation: Operation, packed: Value) -> Operation:
    """The operation that reads weights as they are stored."""
    if packed.dtype in HALVES and isinstance(operation, Product):
        return ProductH(operation.activation)
    if packed.dtype in HALVES and isinstance(operation, GroupedGemm):
        return GroupedGemmH()
    if packed.dtype in HALVES and isinstance(operation, Convolution):
        return ConvolutionH(operation.window, False, operation.groups, operation.activation)
    return operation


def _elements(weight: Value) -> Tensor:
    assert weight.constant is not None
    return weight.constant
