"""Bindings of liblatency.so: counters and limits."""

from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, Structure, byref, c_float, c_int, c_size_t, c_uint64, c_void_p
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from executorch_runtime import Clock


class Reading(Structure):
    """Counter values of the calling thread; latency.h describes the structures."""

    _fields_ = [
        ("cycles", c_uint64),
        ("thread_ns", c_uint64),
        ("process_ns", c_uint64),
        ("wall_ns", c_uint64),
    ]


_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "bench_counter_open": (c_int, []),
    "bench_counter_read": (None, [c_int, POINTER(Reading)]),
    "bench_counter_now": (c_uint64, [c_void_p]),
    "bench_shown_isa": (c_int, []),
    "bench_forget_avx512": (None, []),
    "bench_used_avx512": (c_int, []),
    "bench_fma_avx2": (c_float, [c_uint64]),
    "bench_fma_avxvnni": (c_float, [c_uint64]),
    "bench_fma_avx512": (c_float, [c_uint64]),
    "bench_read_avx2": (c_uint64, [c_void_p, c_size_t]),
    "bench_read_avxvnni": (c_uint64, [c_void_p, c_size_t]),
    "bench_read_avx512": (c_uint64, [c_void_p, c_size_t]),
}


class Library:
    """The shared library. It can be used before other packages are loaded."""

    def __init__(self, path: str | None = None) -> None:
        self.calls = ctypes.CDLL(path or os.environ["LATENCY_LIBRARY"])
        for name, (result, arguments) in _SIGNATURES.items():
            function = getattr(self.calls, name)
            function.restype, function.argtypes = result, arguments
        self.counter: int = self.calls.bench_counter_open()

    @property
    def unit(self) -> str:
        """The unit of costs."""
        return "cycles" if self.counter >= 0 else "ns"

    def read(self) -> Reading:
        reading = Reading()
        self.calls.bench_counter_read(self.counter, byref(reading))
        return reading

    @property
    def clock(self) -> Clock:
        """The clock of traced ops: cycles if they are counted, else wall-clock time."""
        from executorch_runtime import Clock

        function = ctypes.cast(self.calls.bench_counter_now, c_void_p).value
        assert function is not None
        return Clock(function, self.counter % 2**64, self)

    @property
    def shown_isa(self) -> str:
        """Return the widest instruction set that `cpuid` reports to this process."""
        return ("avx2", "avxvnni", "avx512")[self.calls.bench_shown_isa()]

    def forget_avx512(self) -> None:
        """Mark the AVX-512 registers of the calling thread as unused."""
        self.calls.bench_forget_avx512()

    @property
    def used_avx512(self) -> bool | None:
        """Return whether the thread has used them since, or None if unknown."""
        used = self.calls.bench_used_avx512()
        return None if used < 0 else bool(used)
