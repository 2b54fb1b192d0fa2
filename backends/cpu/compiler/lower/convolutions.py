"""Convolutions with constant weights."""

from dataclasses import replace
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.fx import Node

from backends.cpu.compiler.cost import MOST_PLANES
from backends.cpu.compiler.graph import Laid, Value, constant
from backends.cpu.compiler.kinds.convolution import Convolution, takes_planes
from backends.cpu.compiler.kinds.depthwise import Depthwise
from backends.cpu.compiler.kinds.product import Product
from backends.cpu.compiler.kinds.window import MOST_SIZE, Pair, Window
from backends.cpu.compiler.lower.builder import Builder, as_it_is, channels_last, view
from backends.cpu.compiler.lower.rule import Program, Refusal, Rule, argument, tensor_of
from backends.cpu.compiler.lower.transposed import lower_transposed
from backends.cpu.compiler.lower.volumes import lower_volume, refuses_volume
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
    if call.groups == 1 and _is_planes(builder, call, window):
        planes = _as_picture(builder.read(call.x), 2)
        _emit(builder, node, Convolution(window, planes=True), planes, weight, bias)
        return
    source = builder.read(call.x, channels_last(tensor_of(call.x).dim()))
    operation = _operation(call, window, weight)
    if isinstance(operation, Product):
        output = builder.write(node, channels_last(len(source.dims)))
        builder.step(operation, [source, constant(weight.flatten(1)), constant(bias)], output, node)
        return
    _emit(builder, node, operation, _as_picture(source, 1), weight, bias)


def _emit(builder: Builder, node: Node, operation: Any, x: Value, weight: Tensor, bias: Tensor) -> None:
    """A step from picture to picture; what is of one dimension has a height of 1."""
    order = channels_last(tensor_of(node).dim())
    output = builder.write(node, order)
    if len(order) == 3:
        rows = output
        output = Value(rows.dtype, (rows.dims[0], 1, *rows.dims[1:]))
        builder.alias(node, Laid(view(output, rows.dims), order))
    builder.step(operation, [x, constant(weight), constant(bias)], output, node)


def _parameters(builder: Builder, call: _Call) -> tuple[Tensor, Tensor]:
    """Weight [N, C / groups, kh, kw], if transposed [C, N / groups, kh, kw], and bias [N], of zeros where there is none."""
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
    """Zeros that were put around the picture before, on one side only for instance, are the window's; the step that puts them there
    goes where nobody else reads it."""
    pad, rank = call.x, tensor_of(call.x).dim()
    if to_torch_overload(pad.target) != _aten.constant_pad_nd.default or argument(pad, 2, "value", 0.0) != 0:
        return call, window
    sizes = [*pad.args[1], *[0] * (2 * rank - len(pad.args[1]))]
    left, right, top, bottom = sizes[:4] if rank == 4 else (*sizes[:2], 0, 0)
    if not all(isinstance(size, int) and 0 <= size <= MOST_SIZE for size in sizes) or any(sizes[2 * (rank - 2) :]):
        return call, window
    pads = tuple(old + new for old, new in zip(window.pads, (top, left, bottom, right)))
    return call._replace(x=pad.args[0]), replace(window, pads=pads)


def _pair(sizes: list[int], along_height: int) -> Pair:
    """Height and width; `along_height` where only the width is said."""
    return (sizes[0], sizes[1]) if len(sizes) == 2 else (along_height, sizes[0])


def _operation(call: _Call, window: Window, weight: Tensor) -> Product | Depthwise | Convolution:
    n, each, *_ = weight.shape
    if call.groups == 1 and window.is_point:
        return Product()
    if call.groups == n and each == 1:
        return Depthwise(window)
    return Convolution(window, groups=call.groups)


def _is_planes(builder: Builder, call: _Call, window: Window) -> bool:
    """Whether the input is better read as the planes that it lies in than brought in order."""
    rank = tensor_of(call.x).dim()
    channels = tensor_of(call.x).shape[1]
    if builder.laid(call.x).order != as_it_is(rank) or window.is_point:
        return False
    return channels <= MOST_PLANES and takes_planes(window, channels)


def _as_picture(x: Value, height_at: int) -> Value:
    if len(x.dims) == 4:
        return x
    return view(x, (*x.dims[:height_at], 1, *x.dims[height_at:]))


RULES: dict[OpOverload, Rule] = {_aten.convolution.default: Rule(_lower, _refuses)}
