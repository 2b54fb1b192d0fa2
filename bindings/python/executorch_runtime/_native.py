"""ctypes declarations of libexecutorch_runtime.so."""

from __future__ import annotations

import ctypes
import functools
import os
from ctypes import (
    POINTER,
    Structure,
    c_bool,
    c_char_p,
    c_int,
    c_int32,
    c_int64,
    c_size_t,
    c_uint8,
    c_uint16,
    c_uint32,
    c_uint64,
    c_void_p,
)
from pathlib import Path
from typing import Any

from executorch_runtime.structures import MAX_RANK, Error, Span, Tensor, Value


class ValueMeta(Structure):
    _fields_ = [
        ("tag", c_int),
        ("dtype", c_int),
        ("rank", c_uint8),
        ("dynamism", c_uint8),
        ("sizes", c_int32 * MAX_RANK),
        ("dim_order", c_uint8 * MAX_RANK),
        ("nbytes", c_size_t),
        ("is_planned", c_bool),
        ("min_sizes", c_int32 * MAX_RANK),
        ("size_steps", c_int32 * MAX_RANK),
        ("min", c_int64),
        ("max", c_int64),
        ("step", c_int64),
    ]


class MethodMeta(Structure):
    _fields_ = [("program", c_void_p), ("plan", c_uint32)]


class BackendOption(Structure):
    _fields_ = [("key", c_char_p), ("value", Value)]


class BackendOptions(Structure):
    _fields_ = [("id", c_char_p), ("options", POINTER(BackendOption)), ("count", c_size_t)]


class RecordedEvent(Structure):
    _fields_ = [
        ("begin", c_uint64),
        ("end", c_uint64),
        ("name", c_char_p),
        ("index", c_uint32),
        ("kind", c_uint16),
        ("status", c_uint16),
    ]


class Clock(Structure):
    _fields_ = [("now", c_void_p), ("context", c_void_p)]


class _RecorderLast(Structure):
    _fields_ = [("end", c_uint64), ("next", c_uint32)]


class Recorder(Structure):
    _fields_ = [
        ("clock", Clock),
        ("events", POINTER(RecordedEvent)),
        ("count", c_size_t),
        ("capacity", c_size_t),
        ("lost", c_size_t),
        ("open", c_size_t * 8),
        ("depth", c_size_t),
        ("last", _RecorderLast * 9),
    ]


class Options(Structure):
    _fields_ = [
        ("threads", c_size_t),
        ("backend_options", POINTER(BackendOptions)),
        ("backend_options_count", c_size_t),
        ("max_steps", c_uint64),
        ("seed", c_uint64),
        ("owner", c_void_p),
        ("memory_id", c_uint32),
        ("is_traced", c_uint32),
    ]


class MemoryBytes(Structure):
    _fields_ = [("method", c_size_t), ("scratch", c_size_t), ("planned", c_size_t), ("data", c_size_t)]


# These are in the order of et_python_struct_sizes, so that a test can compare the sizes.
STRUCTURES: tuple[type[Structure], ...] = (
    Error,
    Value,
    Tensor,
    ValueMeta,
    MethodMeta,
    BackendOptions,
    BackendOption,
    Recorder,
    RecordedEvent,
    Clock,
    Options,
    MemoryBytes,
)

_STATUS = c_int
_META = POINTER(MethodMeta)
_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "et_status_name": (c_char_p, [_STATUS]),
    "et_status_text": (c_char_p, [_STATUS]),
    "et_value_tag_name": (c_char_p, [c_int32]),
    "et_scalar_type_name": (c_char_p, [c_int32]),
    "et_program_method_count": (c_size_t, [c_void_p]),
    "et_program_method_name": (_STATUS, [c_void_p, c_size_t, POINTER(Span)]),
    "et_program_method_meta": (_STATUS, [c_void_p, c_char_p, _META, POINTER(Error)]),
    "et_method_meta_input_count": (c_size_t, [_META]),
    "et_method_meta_output_count": (c_size_t, [_META]),
    "et_method_meta_input": (_STATUS, [_META, c_size_t, POINTER(ValueMeta), POINTER(Error)]),
    "et_method_meta_output": (_STATUS, [_META, c_size_t, POINTER(ValueMeta), POINTER(Error)]),
    "et_method_meta_planned_count": (c_size_t, [_META]),
    "et_method_meta_conditions": (c_char_p, [_META]),
    "et_method_meta_planned_bytes": (_STATUS, [_META, c_size_t, POINTER(c_size_t), POINTER(Error)]),
    "et_method_set_input": (
        _STATUS,
        [c_void_p, c_size_t, c_int, POINTER(c_int32), c_size_t, c_void_p, c_size_t, POINTER(Error)],
    ),
    "et_method_set_scalar_input": (_STATUS, [c_void_p, c_size_t, POINTER(Value), POINTER(Error)]),
    "et_method_execute": (_STATUS, [c_void_p, POINTER(Error)]),
    "et_method_get_output": (_STATUS, [c_void_p, c_size_t, POINTER(POINTER(Value)), POINTER(Error)]),
    "et_method_reset_state": (None, [c_void_p]),
    "et_recorder_clear": (None, [POINTER(Recorder)]),
    "et_python_program_open": (
        _STATUS,
        [POINTER(c_char_p), c_size_t, POINTER(Clock), POINTER(c_void_p), POINTER(Error)],
    ),
    "et_python_program_close": (None, [c_void_p]),
    "et_python_program_view": (c_void_p, [c_void_p]),
    "et_python_program_backend": (c_char_p, [c_void_p, c_size_t]),
    "et_python_program_events": (POINTER(Recorder), [c_void_p]),
    "et_python_method_load": (_STATUS, [c_void_p, c_char_p, POINTER(Options), POINTER(c_void_p), POINTER(Error)]),
    "et_python_method_free": (None, [c_void_p]),
    "et_python_method_view": (c_void_p, [c_void_p]),
    "et_python_method_memory": (MemoryBytes, [c_void_p]),
    "et_python_method_events": (POINTER(Recorder), [c_void_p]),
    "et_python_method_value": (POINTER(Value), [c_void_p, c_size_t]),
    "et_python_struct_sizes": (c_size_t, [POINTER(c_size_t), c_size_t]),
}
_FILE = "libexecutorch_runtime.so"


@functools.cache
def library() -> ctypes.CDLL:
    """Load the shared library.

    Calls to it release the GIL. The library is next to this file, or at the path in
    EXECUTORCH_RUNTIME_LIBRARY.
    """
    calls = ctypes.CDLL(os.environ.get("EXECUTORCH_RUNTIME_LIBRARY") or str(Path(__file__).parent / _FILE))
    for name, (result, arguments) in _SIGNATURES.items():
        function = getattr(calls, name)
        function.restype, function.argtypes = result, arguments
    return calls
