"""Tests that tensors which share a range get one pair of quantization parameters."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.export import ExportedProgram, export

from exir.quantize import QuantizationOptions, quantize_program
from exir.quantize.families import quantizes


class _Module(nn.Module):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self._function = function

    def forward(self, *inputs: Tensor) -> Any:
        return self._function(*inputs)


def _quantized(function: Callable[..., Any], count: int = 1) -> ExportedProgram:
    """Quantize a function of `count` tensors with increasing ranges."""
    x = torch.linspace(-1.0, 3.0, 128).reshape(1, 16, 8)
    inputs = tuple(x * (1 + number) for number in range(count))
    program = export(_Module(function), inputs)
    return quantize_program(program, QuantizationOptions("int8_static"), [inputs]).program


def _parameters(program: ExportedProgram) -> list[tuple[float, int]]:
    """Return the scale and zero point of each quantized tensor."""
    return [(node.args[1], node.args[2]) for node in program.graph.nodes if quantizes(node.target)]


def _flip_and_stack(x: Tensor) -> Tensor:
    flipped = x.view(1, 16, 2, -1).flip(2).flatten(2)
    mean = torch.stack([flipped, x]).mean(0)
    return torch.lerp(torch.relu(mean + flipped), mean, 0.5)


_ONE_RANGE: dict[str, Callable[[Tensor], Tensor]] = {
    "a view with its source": lambda x: torch.cat([x.flip(1), x]),
    "a source with its view": lambda x: torch.cat([x, x.flip(1)]),
    "two views": lambda x: torch.cat([x.flip(1), x.flip(2)]),
    "a result with its operand": lambda x: torch.cat([torch.cat([x, x]), x]),
    "an operand with its result": lambda x: torch.cat([x, torch.cat([x, x])]),
    "in opposite orders": lambda x: torch.cat([torch.cat([x.flip(1), x]), torch.cat([x, x.flip(1)])]),
}


@pytest.mark.parametrize("name", _ONE_RANGE)
def test_moved_and_joined_elements_keep_the_range_of_the_input(name: str) -> None:
    parameters = _parameters(_quantized(_ONE_RANGE[name]))
    assert len(parameters) > 2
    assert set(parameters) == {parameters[0]}


_INPUTS_WITH_ONE_RANGE: dict[str, Callable[..., Tensor]] = {
    "joined": lambda a, b: torch.cat([a, b]),
    "moved and joined": lambda a, b: torch.cat([a.flip(1), b.flip(1)]),
    "joined and moved": lambda a, b: torch.cat([a, b]).flip(1),
}


@pytest.mark.parametrize("name", _INPUTS_WITH_ONE_RANGE)
def test_joined_inputs_have_the_range_of_the_largest(name: str) -> None:
    parameters = _parameters(_quantized(_INPUTS_WITH_ONE_RANGE[name], count=2))
    larger = _parameters(_quantized(lambda a, b: torch.cat([b, b]), count=2))
    assert len(parameters) > 2
    assert set(parameters) == {larger[0]}


@pytest.mark.parametrize("function", [lambda x: x.flip(1), torch.neg])
def test_joined_tensors_keep_their_range_if_one_is_joined_again(
    function: Callable[[Tensor], Tensor],
) -> None:
    """A range that refers to another is joined with a third range."""

    def chain(a: Tensor, b: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
        first, third, second = function(a), function(c), function(b)
        return torch.cat([first, second]), torch.cat([second, third])

    program = _quantized(chain, count=3)
    joined = [node for node in program.graph.nodes if node.target is torch.ops.aten.cat.default]
    operands = [operand.args[1:3] for node in joined for operand in node.args[0]]
    assert len(operands) == 4
    assert set(operands) == {operands[0]}


def test_results_that_are_joined_later_have_one_range() -> None:
    """Each half is quantized before its range is joined with the other."""

    def halves(x: Tensor) -> Tensor:
        positive, negative = torch.relu(x), torch.neg(x)
        return torch.cat([negative.flip(1), positive.flip(2), negative])

    parameters = _parameters(_quantized(halves))
    assert len(set(parameters)) == 2  # of the input, and of all others


def test_operator_between_joined_tensors_has_its_own_range() -> None:
    """The shared ranges must not refer to each other, which torchao cannot resolve."""
    parameters = _parameters(_quantized(_flip_and_stack))
    assert len(set(parameters)) == 2  # of moved elements, and of the sum
