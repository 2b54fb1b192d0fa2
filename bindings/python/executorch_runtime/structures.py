"""ctypes structures of kernel arguments.

They mirror `runtime/include/executorch/{status,tensor,value}.h`.
"""

from __future__ import annotations

from ctypes import (
    POINTER,
    Structure,
    Union,
    c_bool,
    c_char,
    c_double,
    c_int,
    c_int32,
    c_int64,
    c_size_t,
    c_uint8,
    c_void_p,
)

MAX_RANK = 16


class Error(Structure):
    _fields_ = [("status", c_int), ("message", c_char * 240)]


class Span(Structure):
    """Text, a list or bytes: pointer and size."""

    _fields_ = [("data", c_void_p), ("size", c_size_t)]


class Tensor(Structure):
    _fields_ = [
        ("data", c_void_p),
        ("capacity", c_size_t),
        ("sizes", POINTER(c_int32)),
        ("strides", POINTER(c_int32)),
        ("dim_order", POINTER(c_uint8)),
        ("numel", c_size_t),
        ("dtype", c_int),
        ("rank", c_uint8),
        ("dynamism", c_uint8),
        ("is_constant", c_bool),
    ]


class Content(Union):
    """Content of a value; the tag selects the field."""

    _fields_ = [
        ("as_int", c_int64),
        ("as_bool", c_bool),
        ("as_double", c_double),
        ("as_tensor", POINTER(Tensor)),
        ("as_string", Span),  # lists as well: pointer and size
    ]


class Value(Structure):
    _fields_ = [("tag", c_int), ("u", Content)]
