"""The verifier of step graphs."""

import pytest
import torch

from backends.cpu.compiler.dims import Bounds
from backends.cpu.compiler.graph import Input, Laid, Step, StepGraph, Value, verify
from backends.cpu.compiler.kinds.activation import RELU
from backends.cpu.compiler.kinds.map import Map
from backends.cpu.compiler.kinds.permute import Permute
from exir.error import InternalError

_RELU = Map.of(RELU)


def _value(*dims: int) -> Value:
    return Value(torch.float32, dims)


def _graph(*steps: Step, result: Value | None = None) -> StepGraph:
    results = [Laid(result, tuple(range(len(result.dims))))] if result else []
    return StepGraph(Bounds({}), steps=list(steps), results=results)


def _input() -> Value:
    return Value(torch.float32, (2, 3), Input(0))


def test_a_chain_is_sound() -> None:
    x, y, z = _input(), _value(2, 3), _value(3, 2)
    verify(_graph(Step(_RELU, (x,), (y,)), Step(Permute((1, 0)), (y,), (z,)), result=z))


def test_a_read_before_the_write_is_refused() -> None:
    y, z = _value(2, 3), _value(2, 3)
    with pytest.raises(InternalError, match="reads what nothing has written"):
        verify(_graph(Step(_RELU, (y,), (z,)), Step(_RELU, (_input(),), (y,))))


def test_a_second_write_is_refused() -> None:
    x, y = _input(), _value(2, 3)
    with pytest.raises(InternalError, match="writes over a value"):
        verify(_graph(Step(_RELU, (x,), (y,)), Step(_RELU, (x,), (y,))))


def test_writing_to_an_input_is_refused() -> None:
    x = _input()
    with pytest.raises(InternalError, match="writes over a value"):
        verify(_graph(Step(_RELU, (x,), (x,))))


def test_a_result_that_nothing_computes_is_refused() -> None:
    with pytest.raises(InternalError, match="a result is not computed"):
        verify(_graph(result=_value(2)))


def test_sizes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InternalError, match="does not become"):
        verify(_graph(Step(Permute((1, 0)), (_input(),), (_value(2, 3),))))
