"""Weights and biases of steps as the steps read them."""

from collections.abc import Callable
from dataclasses import replace

from torch import Tensor

from backends.cpu.compiler.graph import Step, StepGraph, Value, constant
from backends.cpu.compiler.kinds.convolution import Convolution
from backends.cpu.compiler.kinds.depthwise import Depthwise
from backends.cpu.compiler.kinds.operation import Operation
from backends.cpu.compiler.kinds.product import Product
from backends.cpu.compiler.packing import convolution_panels, group_bias, padded, panels, taps

Packed = tuple[Tensor, Tensor]


def _product(operation: Operation, weight: Tensor, bias: Tensor) -> Packed:
    return panels(weight), padded(bias, 0)


def _convolution(operation: Operation, weight: Tensor, bias: Tensor) -> Packed:
    assert isinstance(operation, Convolution)
    return convolution_panels(weight, operation.groups), group_bias(bias, operation.groups)


def _depthwise(operation: Operation, weight: Tensor, bias: Tensor) -> Packed:
    return taps(weight), padded(bias, 0)


_PACKERS: dict[type[Operation], Callable[[Operation, Tensor, Tensor], Packed]] = {
    Product: _product,
    Convolution: _convolution,
    Depthwise: _depthwise,
}


def pack(graph: StepGraph) -> None:
    """Replace the weight and bias (inputs 1 and 2) of each step that has them by what it reads.

    Before, weights are as PyTorch has them; steps that share one share what it becomes.
    """
    done: dict[tuple[Value, Value, Operation], tuple[Value, Value]] = {}
    graph.steps = [_packed(step, done) for step in graph.steps]


def _packed(step: Step, done: dict[tuple[Value, Value, Operation], tuple[Value, Value]]) -> Step:
    packer = _PACKERS.get(type(step.operation))
    if packer is None:
        return step
    x, weight, bias, *others = step.inputs
    key = weight, bias, step.operation
    if key not in done:
        assert weight.constant is not None and bias.constant is not None
        packed = packer(step.operation, weight.constant, bias.constant)
        done[key] = constant(packed[0]), constant(packed[1])
    return replace(step, inputs=(x, *done[key], *others))
