"""Tests of C expressions over the properties of a call."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import pytest

from exir.operators.expressions import fields, fill
from exir.operators.rules import Call, TensorInfo

_NUMBERS: Mapping[str, float | Sequence[int]] = {
    "stride": (1, 2),
    "groups": 4,
    "transposed": False,
    "alpha": 1.0,
    "beta": 0.5,
    "output_padding": (),
}
CALL = Call(
    tensors={
        "input": [TensorInfo("float32", (0, 2, 3, 1), (2, 3, 5, 7))],
        "weight": [TensorInfo("int8", (0, 1), (1, 6))],
        "column": [TensorInfo("float32", (1, 0), (4, 1))],
        "empty": [TensorInfo("bool", (0, 1, 2), (3, 0, 2))],
        "bias": [],
        "tensors": [TensorInfo("float32", (0,), (2,)), TensorInfo("float32", (0, 1), (2, 3))],
    },
    numbers=_NUMBERS,
)


@pytest.mark.parametrize(
    ("expression", "filled"),
    [
        ("sizeof(acme)", "sizeof(acme)"),
        ("(acme){{0}}", "(acme){0}"),
        ("{input.dtype} {empty.dtype}", "ET_SCALAR_TYPE_FLOAT32 ET_SCALAR_TYPE_BOOL"),
        ("{input.rank} {input.shape[1]} {input.shape[-1]}", "4 3 7"),
        ("{input.shape[2:].largest} {input.shape[:-1].product} {input.shape.product}", "7 30 210"),
        ("{input.strides[0]} {input.strides[1]} {input.strides[2]} {input.strides[3]}", "105 1 21 3"),
        ("{empty.strides[0]} {empty.strides[1]}", "2 2"),
        ("{input.is_row_major} {weight.is_row_major} {column.is_row_major}", "0 1 1"),
        ("{input.is_given} {bias.is_given}", "1 0"),
        ("{tensors.rank}", "1"),
        ("{stride[1]} {stride.largest} {stride.count} {output_padding.largest}", "2 2 2 0"),
        ("{groups} {transposed} {alpha.is_one} {beta.is_one} {groups.is_one}", "4 0 1 0 0"),
    ],
)
def test_expression_variables_come_from_the_call(expression: str, filled: str) -> None:
    assert fill(expression, CALL) == filled


@pytest.mark.parametrize(
    ("expression", "field"),
    [
        ("{bias.shape[0]}", "bias.shape[0]"),
        ("{input.shape[4]}", "input.shape[4]"),
        ("{input.size}", "input.size"),
        ("{groups[0]}", "groups[0]"),
        ("{padding}", "padding"),
    ],
)
def test_missing_expression_variable_is_an_error(expression: str, field: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"{{{field}}}: unknown property of the call")):
        fill(expression, CALL)


def test_list_argument_is_not_a_scalar() -> None:
    with pytest.raises(ValueError, match="{input.shape}: not a number; select one of its properties"):
        fill("{input.shape}", CALL)


def test_expression_fields_are_listed() -> None:
    assert fields("A({groups}, {input.shape[1]}, {input.rank})") == {"groups", "input"}
    assert fields("sizeof(acme)") == set()


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("{", "Single '{'"),
        ("{}", "field {} must be a property"),
        ("{groups!r}", "field {groups} must be a property of an argument, without a format"),
        ("{groups:3}", "field {groups} must be a property of an argument, without a format"),
    ],
)
def test_unsupported_field_syntax_is_refused(expression: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fields(expression)
