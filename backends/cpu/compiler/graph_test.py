"""Tests that the verifier of op graphs rejects invalid graphs."""

import pytest
import torch

from backends.cpu.compiler.dims import Bounds
from backends.cpu.compiler.graph import Input, Op, OpGraph, TensorLayout, Value, verify
from backends.cpu.schema.copies import Permute
from backends.cpu.schema.elementwise import ElementwiseF32
from backends.cpu.schema.records import RELU
from exir.error import InternalError

_RELU = ElementwiseF32.of(RELU)


def _value(*dims: int) -> Value:
    return Value(torch.float32, dims)


def _graph(*ops: Op, result: Value | None = None) -> OpGraph:
    results = [TensorLayout(result, tuple(range(len(result.dims))))] if result else []
    return OpGraph(Bounds({}), ops=list(ops), results=results)


def _input() -> Value:
    return Value(torch.float32, (2, 3), Input(0))


def test_a_chain_is_sound() -> None:
    x, y, z = _input(), _value(2, 3), _value(3, 2)
    verify(_graph(Op(_RELU, (x,), (y,)), Op(Permute((1, 0)), (y,), (z,)), result=z))


def test_a_read_before_the_write_is_refused() -> None:
    y, z = _value(2, 3), _value(2, 3)
    with pytest.raises(InternalError, match="reads a value that no op wrote"):
        verify(_graph(Op(_RELU, (y,), (z,)), Op(_RELU, (_input(),), (y,))))


def test_a_second_write_is_refused() -> None:
    x, y = _input(), _value(2, 3)
    with pytest.raises(InternalError, match="overwrites a value"):
        verify(_graph(Op(_RELU, (x,), (y,)), Op(_RELU, (x,), (y,))))


def test_writing_to_an_input_is_refused() -> None:
    x = _input()
    with pytest.raises(InternalError, match="overwrites a value"):
        verify(_graph(Op(_RELU, (x,), (x,))))


def test_a_result_that_nothing_computes_is_refused() -> None:
    with pytest.raises(InternalError, match="a result is not computed"):
        verify(_graph(result=_value(2)))


def test_sizes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InternalError, match="the input is"):
        verify(_graph(Op(Permute((1, 0)), (_input(),), (_value(2, 3),))))
