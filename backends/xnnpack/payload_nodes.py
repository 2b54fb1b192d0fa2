"""Describes the graphs of XNNPACK payloads as text. Does not import torch.

The tables follow the official exporter's schema. `runtime/schema.h` has the same tables for the
verifier.
"""

from __future__ import annotations

import operator
import struct
from dataclasses import dataclass, field, make_dataclass
from functools import reduce
from typing import Annotated, Any

from exir._serialize import read_root
from exir.base_error import InvalidProgramError

_Int16 = Annotated[int, "int16"]
_UInt32 = Annotated[int, "uint32"]
_Float32 = Annotated[float, "float32"]

_NO_VALUE = 0xFFFFFFFF

# Field types of a node's table: an input (i) or output (o) value, or an integer (.), list ([) or
# float (f) attribute. The layouts below omit the flags, which are the last field of most tables.
_LETTERS: dict[str, tuple[Any, type]] = {
    "i": (_UInt32, int),
    "o": (_UInt32, int),
    ".": (_UInt32, int),
    "[": (list[_UInt32], list),
    "f": (_Float32, float),
}

_BINARY, _UNARY, _SHAPED, _PARAMETER = "iio", "io", ".[io", "fio"
_CONVOLUTION, _POOL, _CONCATENATE = "." * 15 + "iiio", "." * 10 + "io", ".iiiio.i"

# Name and layout of each kind of node, in the order of their tags, which start at 1.
NODES = (
    ("Add", _BINARY),
    ("FullyConnected", "iiio"),
    ("Softmax", _UNARY),
    ("Sigmoid", _UNARY),
    ("StaticTranspose", _SHAPED),
    ("Clamp", _UNARY),
    ("Conv2d", _CONVOLUTION),
    ("Div", _BINARY),
    ("StaticResizeBilinear2D", "..io"),
    ("StaticConstantPad", "[[fio"),
    ("AvgPooling2d", _POOL),
    ("Minimum", _BINARY),
    ("DepthwiseConv2d", _CONVOLUTION),
    ("MaxPooling2d", _POOL),
    ("Multiply", _BINARY),
    ("Subtract", _BINARY),
    ("Floor", _UNARY),
    ("Convert", _UNARY),
    ("GlobalAvgPooling2d", _UNARY),
    ("StaticReshape", _SHAPED),
    ("ArgMaxPooling2d", "......ioo"),
    ("SquareRoot", _UNARY),
    ("Ceiling", _UNARY),
    ("Hardswish", _UNARY),
    ("LeakyReLU", _PARAMETER),
    ("Maximum", _BINARY),
    ("Negate", _UNARY),
    ("Square", _UNARY),
    ("ELU", _PARAMETER),
    ("Abs", _UNARY),
    ("PReLU", _BINARY),
    ("Concatenate2", _CONCATENATE),
    ("Concatenate3", _CONCATENATE),
    ("Concatenate4", _CONCATENATE),
    ("StaticSlice", ".[[io"),
    ("ScaledDotProductAttention", "iiiiio"),
    ("BatchMatrixMultiply", _BINARY),
    ("Concatenate5", _CONCATENATE),
    ("ConvTranspose2d", _CONVOLUTION),
    ("ReciprocalSquareRoot", _UNARY),
    ("Log", _UNARY),
    ("Gelu", _UNARY),
    ("Tanh", _UNARY),
    ("Exp", _UNARY),
    ("Sin", _UNARY),
    ("Copy", _UNARY),
    ("Cos", _UNARY),
)

_DATATYPES = {
    1: "float32",
    2: "float16",
    3: "int8",
    4: "uint8",
    5: "int32",
    6: "int8 per channel",
    7: "int32 per channel",
    8: "int4 per channel",
    9: "int8 per row",
    10: "int4 in groups",
    12: "int32",
    14: "bfloat16",
}


def _body(name: str, layout: str) -> type:
    """Return a dataclass for the table of one kind of node."""
    kinds = [_LETTERS[letter] for letter in layout]
    fields = [(f"slot_{index}", kind, field(default_factory=zero)) for index, (kind, zero) in enumerate(kinds)]
    made = make_dataclass(name, fields, namespace={"layout": layout})
    made.__module__ = __name__
    return made


_Body: Any = reduce(operator.or_, [_body(name, layout) for name, layout in NODES])


@dataclass
class _Tensor:
    datatype: _Int16 = 0
    rank: _UInt32 = 0
    dims: list[_UInt32] = field(default_factory=list)
    constant: _UInt32 = 0
    external: _UInt32 = 0
    flags: _UInt32 = 0
    id: _UInt32 = 0


@dataclass
class _Quantized:
    tensor: _Tensor = field(default_factory=_Tensor)


@dataclass
class _Value:
    value: _Tensor | _Quantized

    @property
    def tensor(self) -> _Tensor:
        return self.value if isinstance(self.value, _Tensor) else self.value.tensor


@dataclass
class _Node:
    body: _Body


@dataclass
class _Graph:
    version: str = ""
    nodes: list[_Node] = field(default_factory=list)
    values: list[_Value] = field(default_factory=list)


def describe(payload: bytes) -> list[tuple[str, list[str]]]:
    """Return the kind of each node and its values, inputs before outputs.

    Values are written as "float32[1, 3]". Raises ValueError if `payload` is not a valid XNNPACK
    payload.
    """
    try:
        graph = read_root(_Graph, _flatbuffer(payload))
    except (InvalidProgramError, TypeError) as error:
        raise ValueError(f"corrupt XnnpackBackend payload: {error}") from error
    texts = {value.tensor.id: _text(value.tensor) for value in graph.values}
    return [(type(node.body).__name__, _values(node.body, texts)) for node in graph.nodes]


def _flatbuffer(payload: bytes) -> memoryview:
    """Return the flatbuffer after the header. Older payloads do not have a header."""
    data = memoryview(payload)
    if data[4:8] == b"XH00" and len(data) >= 30:
        start, size = struct.unpack_from("<II", data, 10)
        data = data[start : start + size]
    if data[4:8] not in (b"XN00", b"XN01"):
        raise ValueError("not an XnnpackBackend payload")
    return data


def _values(body: Any, texts: dict[int, str]) -> list[str]:
    """Return descriptions of a node's inputs, followed by those of its outputs."""
    places = sorted((letter, index) for index, letter in enumerate(body.layout) if letter in "io")
    numbers = [getattr(body, f"slot_{index}") for _, index in places]
    return [texts.get(number, f"value {number}") for number in numbers if number != _NO_VALUE]


def _text(tensor: _Tensor) -> str:
    dtype = _DATATYPES.get(tensor.datatype, f"datatype {tensor.datatype}")
    return f"{'constant ' if tensor.constant else ''}{dtype}[{', '.join(map(str, tensor.dims))}]"
