"""Lowering of convolutions with constant weights."""

from dataclasses import replace
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.fx import Node

from backends.cpu.compiler.graph import TensorLayout, Value, constant
from backends.cpu.compiler.lower.builder import Builder, as_it_is, channels_last, view
from backends.cpu.compiler.lower.program import Program, argument, tensor_of
from backends.cpu.compiler.lower.rule import Refusal, Rule
from backends.cpu.compiler.lower.transposed import lower_transposed
from backends.cpu.compiler.lower.volumes import lower_volume, refuses_volume
from backends.cpu.compiler.lower.windows import MAX_SIZE
from backends.cpu.schema.convolution import ConvF32, DwconvF32, fits_planar
from backends.cpu.schema.cost_model import PLANAR_MAX_CHANNELS
from backends.cpu.schema.gemm import GemmF32
from backends.cpu.schema.records import Pair, Window
from exir.dialects.edge import to_torch_overload

_aten = torch.ops.aten
_VOLUME = 5  # dimensions


class _Call(NamedTuple):
    """The arguments of `aten.convolution`."""

    x: Node
    weight: Node
    bias: Node | None
    stride: list[int]
    padding: list[int]
    dilation: list[int]
    transposed: bool
    output_padding: list[int]
    groups: int


def _refuses(program: Program, node: Node) -> Refusal:
    call = _Call(*node.args)
    if tensor_of(call.x).dim() != tensor_of(call.weight).dim():
        return "convolution without a batch dimension is not supported"
    if program.weight(call.weight) is None:
        return "the weight is not constant"
    if call.bias is not None and program.constant(call.bias) is None:
        return "the bias is not constant"
    return refuses_volume(node) if tensor_of(call.x).dim() == _VOLUME else None


def _lower(builder: Builder, node: Node) -> None:
    call = _Call(*node.args)
    weight, bias = _parameters(builder, call)
    if call.transposed or weight.dim() == _VOLUME:
        (lower_transposed if call.transposed else lower_volume)(builder, node, weight, bias)
        return
    call, window = _unpadded(call, _window(call, weight))
    if call.groups == 1 and _reads_planar(builder, call, window):
        planar = _as_image(builder.read(call.x), 2)
        _emit(builder, node, ConvF32(window, planar=True), planar, weight, bias)
        return
    source = builder.read(call.x, channels_last(tensor_of(call.x).dim()))
    spec = _operation(call, window, weight)
    if isinstance(spec, GemmF32):
        output = builder.write(node, channels_last(len(source.dims)))
        builder.op(spec, [source, constant(weight.flatten(1)), constant(bias)], output, node)
        return
    _emit(builder, node, spec, _as_image(source, 1), weight, bias)


def _emit(builder: Builder, node: Node, spec: Any, x: Value, weight: Tensor, bias: Tensor) -> None:
    """Emit an op that maps an image to an image.

    One-dimensional data is an image of height 1.
    """
    order = channels_last(tensor_of(node).dim())
    output = builder.write(node, order)
    if len(order) == 3:
        rows = output
        output = Value(rows.dtype, (rows.dims[0], 1, *rows.dims[1:]))
        builder.alias(node, TensorLayout(view(output, rows.dims), order))
    builder.op(spec, [x, constant(weight), constant(bias)], output, node)


def _parameters(builder: Builder, call: _Call) -> tuple[Tensor, Tensor]:
    """Return weight and bias.

    The weight is [N, C / groups, kh, kw] or, if transposed, [C, N / groups, kh, kw]. The bias is
    [N], zeros by default.
    """
    weight = builder.program.weight(call.weight)
    assert weight is not None
    bias = builder.program.constant(call.bias)
    if weight.dim() == 3:
        weight = weight.unsqueeze(2)
    columns = weight.shape[1] * call.groups if call.transposed else weight.shape[0]
    return weight, torch.zeros(columns) if bias is None else bias


def _window(call: _Call, weight: Tensor) -> Window:
    (top, left), kernel = _pair(call.padding, 0), weight.shape[2:]
    stride, dilation = _pair(call.stride, 1), _pair(call.dilation, 1)
    return Window((kernel[0], kernel[1]), stride, (top, left, top, left), dilation)


def _unpadded(call: _Call, window: Window) -> tuple[_Call, Window]:
    """Fold zero padding of the input into the (possibly asymmetric) window padding.

    If the pad op has no other reader, it is removed later.
    """
    pad, rank = call.x, tensor_of(call.x).dim()
    if to_torch_overload(pad.target) != _aten.constant_pad_nd.default or argument(pad, 2, "value", 0.0) != 0:
        return call, window
    sizes = [*pad.args[1], *[0] * (2 * rank - len(pad.args[1]))]
    left, right, top, bottom = sizes[:4] if rank == 4 else (*sizes[:2], 0, 0)
    if not all(isinstance(size, int) and 0 <= size <= MAX_SIZE for size in sizes) or any(sizes[2 * (rank - 2) :]):
        return call, window
    pads = tuple(old + new for old, new in zip(window.padding, (top, left, bottom, right)))
    return call._replace(x=pad.args[0]), replace(window, padding=pads)


def _pair(sizes: list[int], along_height: int) -> Pair:
    """Return height and width.

    If `sizes` has only a width, the height is `along_height`.
    """
    return (sizes[0], sizes[1]) if len(sizes) == 2 else (along_height, sizes[0])


def _operation(call: _Call, window: Window, weight: Tensor) -> GemmF32 | DwconvF32 | ConvF32:
    n, each, *_ = weight.shape
    if call.groups == 1 and window.is_point:
        return GemmF32()
    if call.groups == n and each == 1:
        return DwconvF32(window)
    return ConvF32(window, groups=call.groups)


def _reads_planar(builder: Builder, call: _Call, window: Window) -> bool:
    """Return whether the op reads planar (NCHW) input directly, instead of NHWC input."""
    rank = tensor_of(call.x).dim()
    channels = tensor_of(call.x).shape[1]
    if builder.layout(call.x).order != as_it_is(rank) or window.is_point:
        return False
    return channels <= PLANAR_MAX_CHANNELS and fits_planar(window, channels)


def _as_image(x: Value, height_at: int) -> Value:
    if len(x.dims) == 4:
        return x
    return view(x, (*x.dims[:height_at], 1, *x.dims[height_at:]))


RULES: dict[OpOverload, Rule] = {_aten.convolution.default: Rule(_lower, _refuses)}
