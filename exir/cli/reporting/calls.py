"""Recorded calls of a program: inputs and expected outputs.

Parity tests replay the file (`ETCL`, version 1, little-endian) on the C runtime:

    file    char[4] "ETCL", u32 version, u32 count, call*
    call    u32 length, method name; u32 expected status; u32 count, value* (inputs);
            u32 count, value* (outputs)
    value   u8 kind, then by kind
            0 none     nothing
            1 tensor   u8 dtype (ScalarType), u8 rank, i32 sizes[rank], u8 dim_order[rank],
                       u64 length, the elements in the order of dim_order
            2 int      i64
            3 bool     u8
            4 double   f64
            5 string   u32 length, UTF-8
            6 quantized  f64 step, f64 scale, f64 zero point, f64 rounding, then two values

A quantized value can only be an output. Its two values are the output, and the output of the float
model, which is none if they are not compared. `QuantizedOutput` explains the other fields.
"""

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import torch

from exir.error import InvalidProgramError, UnsupportedOperatorError
from exir.tensor import dim_order_of_strides, scalar_type
from exir.weights.tensor_bytes import elements_of, tensor_of

MAGIC = b"ETCL"
VERSION = 1


class _ValueKind(IntEnum):
    NONE = 0
    TENSOR = 1
    INT = 2
    BOOL = 3
    DOUBLE = 4
    STRING = 5
    QUANTIZED = 6


@dataclass(frozen=True)
class QuantizedOutput:
    """An output of a quantized model.

    value: the output of the quantized model in eager mode.
    real: the output of the float model, or None if they are not compared.
    step: the distance between adjacent representable values of the output; 0 if it is not
      quantized.
    scale, zero_point: an element represents (element - zero_point) * scale.
    rounding: the largest change of the output if values inside the program are one step off.
    """

    value: Any
    real: Any = None
    step: float = 0.0
    scale: float = 1.0
    zero_point: int = 0
    rounding: float = 0.0


@dataclass(frozen=True)
class Call:
    """One call: flat inputs and outputs.

    A value is None, a tensor, an int, a bool, a float or a str. Outputs of a quantized model are
    `QuantizedOutput`s. A tensor's dim order is that of its strides.

    expected_status: the runtime's status code. If it is not 0, `outputs` is empty.
    """

    method: str
    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]
    expected_status: int = 0


def write_calls(calls: Iterable[Call]) -> bytes:
    """Return the file of `calls`."""
    encoded = [_encode_call(call) for call in calls]
    return MAGIC + struct.pack("<II", VERSION, len(encoded)) + b"".join(encoded)


def read_calls(data: bytes) -> list[Call]:
    """Return the calls of a file. Raises `InvalidProgramError` if it is damaged."""
    reader = _CallsReader(data)
    if reader.take(4) != MAGIC or reader.unpack("<I") != VERSION:
        raise InvalidProgramError("not a file of recorded calls (ETCL, version 1)")
    calls = [reader.call() for _ in range(reader.unpack("<I"))]
    reader.expect_end()
    return calls


def _encode_call(call: Call) -> bytes:
    head = _encode_string(call.method) + struct.pack("<I", call.expected_status)
    return head + _encode_values(call.inputs) + _encode_values(call.outputs)


def _encode_values(values: tuple[Any, ...]) -> bytes:
    return struct.pack("<I", len(values)) + b"".join(_encode_value(value) for value in values)


def _encode_value(value: Any) -> bytes:
    match value:
        case None:
            return bytes([_ValueKind.NONE])
        case torch.Tensor():
            return bytes([_ValueKind.TENSOR]) + _encode_tensor(value)
        case bool():
            return struct.pack("<BB", _ValueKind.BOOL, value)
        case int():
            return struct.pack("<Bq", _ValueKind.INT, value)
        case float():
            return struct.pack("<Bd", _ValueKind.DOUBLE, value)
        case str():
            return bytes([_ValueKind.STRING]) + _encode_string(value)
        case QuantizedOutput():
            figures = value.step, value.scale, value.zero_point, value.rounding
            head = struct.pack("<Bdddd", _ValueKind.QUANTIZED, *figures)
            return head + _encode_value(value.value) + _encode_value(value.real)
    raise UnsupportedOperatorError(
        f"a recorded call cannot have a value of type {type(value).__name__}; use tensors and scalars"
    )


def _encode_tensor(tensor: torch.Tensor) -> bytes:
    shape = tuple(tensor.shape)
    order = dim_order_of_strides(shape, tuple(tensor.stride()))
    data = elements_of(tensor, order)
    rank = len(shape)
    head = struct.pack(f"<BB{rank}i{rank}B", scalar_type(tensor.dtype), rank, *shape, *order)
    return head + struct.pack("<Q", len(data)) + data


def _encode_string(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<I", len(data)) + data


class _CallsReader:
    """Reads a file sequentially. Every read is checked against the file's end."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def take(self, length: int) -> bytes:
        """Return the next `length` bytes."""
        if length > len(self._data) - self._at:
            raise InvalidProgramError(
                f"recorded calls: expected {length} bytes at offset {self._at}, but only "
                f"{len(self._data) - self._at} remain"
            )
        self._at += length
        return self._data[self._at - length : self._at]

    def unpack(self, layout: str) -> Any:
        """Return the next number."""
        return struct.unpack(layout, self.take(struct.calcsize(layout)))[0]

    def call(self) -> Call:
        """Return the next call."""
        method, status = self._read_string(), self.unpack("<I")
        inputs, outputs = self._read_values(), self._read_values()
        return Call(method, inputs, outputs, status)

    def expect_end(self) -> None:
        """Raise an error if there is unread data."""
        if self._at != len(self._data):
            raise InvalidProgramError(f"recorded calls: trailing data after byte {self._at}")

    def _read_values(self) -> tuple[Any, ...]:
        return tuple(self._read_value() for _ in range(self.unpack("<I")))

    def _read_value(self) -> Any:
        match self.unpack("<B"):
            case _ValueKind.NONE:
                return None
            case _ValueKind.TENSOR:
                return self._read_tensor()
            case _ValueKind.INT:
                return self.unpack("<q")
            case _ValueKind.BOOL:
                return bool(self.unpack("<B"))
            case _ValueKind.DOUBLE:
                return self.unpack("<d")
            case _ValueKind.STRING:
                return self._read_string()
            case _ValueKind.QUANTIZED:
                step, scale, zero_point, rounding = (self.unpack("<d") for _ in range(4))
                value, real = self._read_value(), self._read_value()
                return QuantizedOutput(value, real, step, scale, int(zero_point), rounding)
            case kind:
                raise InvalidProgramError(f"recorded calls: unknown value kind {kind}")

    def _read_string(self) -> str:
        return self.take(self.unpack("<I")).decode()

    def _read_tensor(self) -> torch.Tensor:
        number = self.unpack("<B")
        rank = self.unpack("<B")
        sizes = struct.unpack(f"<{rank}i", self.take(4 * rank))
        order = tuple(self.take(rank))
        data = bytearray(self.take(self.unpack("<Q")))
        try:
            return tensor_of(data, number, sizes, order)
        except InvalidProgramError as error:
            raise InvalidProgramError(f"recorded calls: {error}") from None
