"""Prepacking of weights and biases."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from backends.cpu.compiler.graph import Op, OpGraph, Value, constant
from backends.cpu.compiler.ops.quantization import FLOAT16_DTYPES
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
from backends.cpu.schema.convolution import (
    MBCONV_WEIGHTS,
    ConvF32,
    ConvF32F16w,
    DwconvF32,
    MbconvBlock,
    MbconvF32,
    WinogradF32,
)
from backends.cpu.schema.declarations import OpSpec
from backends.cpu.schema.embedding import Embedding
from backends.cpu.schema.gemm import GemmF32, GemmF32F16w, GroupedGemmF32, GroupedGemmF32F16w, StrassenF32

Packed = tuple[Tensor, ...]


def _product(spec: GemmF32, weight: Tensor, bias: Tensor) -> Packed:
    return panels(weight), padded(bias, 0)


def _grouped_gemm(spec: GroupedGemmF32, weight: Tensor, bias: Tensor) -> Packed:
    return panels(weight), padded(bias, 0)


def _strassen(spec: StrassenF32, weight: Tensor, bias: Tensor) -> Packed:
    return strassen_panels(weight), strassen_bias(bias)


def _convolution(spec: ConvF32, weight: Tensor, bias: Tensor) -> Packed:
    if spec.planar:
        weight = weight.float()
    return convolution_panels(weight, spec.groups), group_bias(bias, spec.groups)


def _winograd(spec: WinogradF32, weight: Tensor, bias: Tensor) -> Packed:
    return winograd_panels(weight.float(), spec.side), padded(bias, 0)


def _depthwise(spec: DwconvF32, weight: Tensor, bias: Tensor) -> Packed:
    return taps(weight), padded(bias, 0)


def _mbconv(spec: MbconvF32, *weights: Tensor) -> Packed:
    starts = range(0, len(weights), MBCONV_WEIGHTS)
    return tuple(
        each
        for block, start in zip(spec.blocks, starts)
        for each in _block(block, *weights[start : start + MBCONV_WEIGHTS])
    )


def _block(block: MbconvBlock, *weights: Tensor) -> Packed:
    expand, expand_bias, *others, weight, bias = (each.float() for each in weights)
    taps_and_bias = _depthwise(block.filter, *others)
    expanded = _convolution(block.expand, expand, expand_bias)
    return (*expanded, *taps_and_bias, *_product(block.project, weight, bias))


# Functions that prepack input 1 and the following inputs, by op type.
PACKERS: dict[type[OpSpec], Callable[..., Packed]] = {
    GemmF32: _product,
    GroupedGemmF32: _grouped_gemm,
    StrassenF32: _strassen,
    ConvF32: _convolution,
    WinogradF32: _winograd,
    DwconvF32: _depthwise,
    MbconvF32: _mbconv,
}
_WEIGHT_AND_BIAS = 2
_Done = dict[Any, Sequence[Value]]


def pack(graph: OpGraph) -> None:
    """Prepack the weights of each op, which are input 1 and the following inputs.

    Before: weights have the layout of PyTorch. After: ops that shared weights share the packed
    weights. An embedding whose table is the weight of a GEMM reads the packed weight, so that the
    file contains it once.
    """
    done: _Done = {}
    packed = [_packed(op, done) for op in graph.ops]
    panels_of = [(old, new.inputs[1]) for old, new in zip(graph.ops, packed) if isinstance(old.spec, GemmF32)]
    graph.ops = [_with_panels(op, panels_of) for op in packed]


def _with_panels(op: Op, products: Sequence[tuple[Op, Value]]) -> Op:
    table = op.inputs[0].constant if isinstance(op.spec, Embedding) else None
    if table is None:
        return op
    same = (panels for product, panels in products if _is_same(product.inputs[1].constant, table))
    return replace(op, inputs=(next(same, op.inputs[0]), *op.inputs[1:]))


def _is_same(weight: Tensor | None, table: Tensor) -> bool:
    return weight is not None and weight.dtype == table.dtype and torch.equal(weight, table)


def _packed(op: Op, done: _Done) -> Op:
    if type(op.spec) not in PACKERS:
        return op
    packer, count = PACKERS[type(op.spec)], _weights(op.spec)
    x, weights, others = op.inputs[0], op.inputs[1 : 1 + count], op.inputs[1 + count :]
    key = weights, op.spec
    if key not in done:
        done[key] = [constant(each) for each in packer(op.spec, *map(_elements, weights))]
    return replace(op, spec=_reader(op.spec, done[key][0]), inputs=(x, *done[key], *others))


def _weights(spec: OpSpec) -> int:
    return len(spec.blocks) * MBCONV_WEIGHTS if isinstance(spec, MbconvF32) else _WEIGHT_AND_BIAS


def _reader(spec: OpSpec, packed: Value) -> OpSpec:
    """Return the variant of the op for the dtype of the packed weights."""
    if packed.dtype in FLOAT16_DTYPES and isinstance(spec, GemmF32):
        return GemmF32F16w(spec.activation)
    if packed.dtype in FLOAT16_DTYPES and isinstance(spec, GroupedGemmF32):
        return GroupedGemmF32F16w()
    if packed.dtype in FLOAT16_DTYPES and isinstance(spec, ConvF32):
        return ConvF32F16w(spec.window, spec.groups, spec.activation)
    return spec


def _elements(weight: Value) -> Tensor:
    assert weight.constant is not None
    return weight.constant
