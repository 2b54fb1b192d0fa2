"""Tests that the verifier of op graphs rejects invalid graphs."""

import pytest
import torch

from backends.cpu.compiler.dims import Bounds
from backends.cpu.compiler.graph import Input, Op, OpGraph, Output, State, TensorLayout, Value, verify_graph
from backends.cpu.schema.copies import Permute
from backends.cpu.schema.declarations import OpSpec
from backends.cpu.schema.elementwise import ElementwiseF32
from backends.cpu.schema.gemm import Matmul
from backends.cpu.schema.records import RELU
from exir.error import InternalError

_RELU = ElementwiseF32.of(RELU)


def _value(*dims: int) -> Value:
    return Value(torch.float32, dims)


def _layout(value: Value) -> TensorLayout:
    return TensorLayout(value, tuple(range(len(value.dims))))


def _graph(*ops: Op, arguments: tuple[Value, ...] = (), result: Value | None = None) -> OpGraph:
    """Return a graph with the given `arguments`.

    By default, they are all inputs and states that ops read.
    """
    given = [value for op in ops for value in op.inputs if isinstance(value.place, (Input, State))]
    results = [_layout(result)] if result else []
    return OpGraph(Bounds({}), [_layout(value) for value in dict.fromkeys(arguments or given)], results, list(ops))


def _input() -> Value:
    return Value(torch.float32, (2, 3), Input(0))


def test_a_chain_is_valid() -> None:
    x, y, z = _input(), _value(2, 3), _value(3, 2)
    verify_graph(_graph(Op(_RELU, (x,), (y,)), Op(Permute((1, 0)), (y,), (z,)), result=z))


def test_a_read_before_the_write_is_rejected() -> None:
    y, z = _value(2, 3), _value(2, 3)
    with pytest.raises(InternalError, match="op 0: .* input 0 is a value that has no producer"):
        verify_graph(_graph(Op(_RELU, (y,), (z,)), Op(_RELU, (_input(),), (y,))))


def test_a_second_producer_is_rejected() -> None:
    x, y = _input(), _value(2, 3)
    with pytest.raises(InternalError, match="op 1: .* overwrites a value"):
        verify_graph(_graph(Op(_RELU, (x,), (y,)), Op(_RELU, (x,), (y,))))


def test_writing_to_an_input_is_rejected() -> None:
    x = _input()
    with pytest.raises(InternalError, match="overwrites a value in Input"):
        verify_graph(_graph(Op(_RELU, (x,), (x,))))


def test_an_output_can_overwrite_the_operand_that_the_op_declares() -> None:
    x, y = _input(), _value(2, 3)
    over = Value(torch.float32, (2, 3), base=y)
    verify_graph(_graph(Op(_RELU, (x,), (y,)), Op(_RELU, (y,), (over,)), result=over))


def test_reading_an_overwritten_value_is_rejected() -> None:
    x, y, z = _input(), _value(2, 3), _value(2, 3)
    over = Value(torch.float32, (2, 3), base=y)
    ops = [Op(_RELU, (x,), (y,)), Op(_RELU, (y,), (over,)), Op(_RELU, (y,), (z,))]
    with pytest.raises(InternalError, match="op 2: .* an earlier op overwrote"):
        verify_graph(_graph(*ops, result=z))


def test_undeclared_overwriting_is_rejected() -> None:
    x, y = _input(), _value(2, 3)
    over = Value(torch.float32, (3, 2), base=y)
    with pytest.raises(InternalError, match="op 1: .* overwrites a value"):
        verify_graph(_graph(Op(_RELU, (x,), (y,)), Op(Permute((1, 0)), (y,), (over,)), result=over))


def test_a_missing_operand_to_overwrite_is_rejected() -> None:
    with pytest.raises(InternalError, match="has no input 0 to overwrite"):
        verify_graph(_graph(Op(_RELU, (), (_value(2, 3),))))


def test_a_state_that_is_not_an_argument_is_rejected() -> None:
    state = Value(torch.float32, (2, 3), State(1))
    with pytest.raises(InternalError, match="a state that is not an argument"):
        verify_graph(_graph(Op(_RELU, (_input(),), (state,))))


def test_an_argument_with_a_wrong_index_is_rejected() -> None:
    with pytest.raises(InternalError, match="argument 0 is in State"):
        verify_graph(_graph(arguments=(Value(torch.float32, (2, 3), State(1)),)))


def test_an_output_that_is_not_a_result_is_rejected() -> None:
    y = Value(torch.float32, (2, 3), Output(1))
    with pytest.raises(InternalError, match="writes output 1, but result 1 has a different storage"):
        verify_graph(_graph(Op(_RELU, (_input(),), (y,)), result=y))


def test_a_result_without_a_producer_is_rejected() -> None:
    with pytest.raises(InternalError, match="result 0 is a value that has no producer"):
        verify_graph(_graph(result=_value(2)))


def test_mismatched_sizes_are_rejected() -> None:
    with pytest.raises(InternalError, match="is not input .* permuted by"):
        verify_graph(_graph(Op(Permute((1, 0)), (_input(),), (_value(2, 3),))))


def test_sizes_of_incomplete_ops_are_not_checked() -> None:
    x = _input()
    graph = _graph(Op(Matmul(True), (x, x), (_value(2, 2),)))
    verify_graph(graph, [Matmul])
    with pytest.raises(InternalError, match="3 tensors, expected 4"):
        verify_graph(graph)


def test_an_op_with_an_unregistered_code_is_rejected() -> None:
    class Unknown(OpSpec):
        code = 2**31

    with pytest.raises(InternalError, match="does not belong to Unknown"):
        verify_graph(_graph(Op(Unknown(), (_input(),), (_value(2, 3),))))


def test_a_workspace_that_is_also_an_output_is_rejected() -> None:
    x, y = _input(), _value(2, 2)
    with pytest.raises(InternalError, match="has a workspace that is not separate scratch"):
        verify_graph(_graph(Op(Matmul(True), (x, x), (y,), workspaces=(y,))))
