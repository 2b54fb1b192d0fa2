"""liblatency.so: counters, limits, and this project's runtime."""

from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, Structure, byref, c_char_p, c_float, c_int, c_int32, c_size_t, c_uint32, c_uint64, c_void_p
from dataclasses import dataclass
from typing import Any

_MAX_STEPS = 4096
_STEP_NAME_BYTES = 64
_ERROR_BYTES = 240


class NativeError(Exception):
    """The runtime's message."""


class Reading(Structure):
    """What the calling thread had cost at some moment; steps.h and counter.h describe these structures."""

    _fields_ = [
        ("cycles", c_uint64),
        ("thread_ns", c_uint64),
        ("process_ns", c_uint64),
        ("wall_ns", c_uint64),
    ]


class _Step(Structure):
    _fields_ = [
        ("instruction", c_uint32),
        ("step", c_uint32),
        ("kind", c_int),
        ("name", ctypes.c_char * _STEP_NAME_BYTES),
        ("cost", c_uint64),
        ("best", c_uint64),
    ]


class _Steps(Structure):
    _fields_ = [
        ("counter", c_int),
        ("instruction", c_uint32),
        ("begun", c_uint64 * 2),
        ("count", c_size_t),
        ("items", _Step * _MAX_STEPS),
    ]


@dataclass(frozen=True)
class StepCost:
    """An instruction, or a step of its delegate, at its cheapest run."""

    instruction: int
    step: int | None
    name: str
    cost: int


_STEP_OF_DELEGATE = 4  # ET_EVENT_STEP
_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "bench_counter_open": (c_int, []),
    "bench_counter_read": (None, [c_int, POINTER(Reading)]),
    "bench_hide_avx512": (c_int, [c_int]),
    "bench_fma_avx2": (c_float, [c_uint64]),
    "bench_fma_avxvnni": (c_float, [c_uint64]),
    "bench_fma_avx512": (c_float, [c_uint64]),
    "bench_read_avx2": (c_uint64, [c_void_p, c_size_t]),
    "bench_read_avxvnni": (c_uint64, [c_void_p, c_size_t]),
    "bench_read_avx512": (c_uint64, [c_void_p, c_size_t]),
    "bench_program_open": (c_void_p, [c_char_p, c_char_p, c_size_t, POINTER(c_int), c_char_p]),
    "bench_program_close": (None, [c_void_p]),
    "bench_program_planned_bytes": (c_size_t, [c_void_p]),
    "bench_program_scratch_bytes": (c_size_t, [c_void_p]),
    "bench_program_method_bytes": (c_size_t, [c_void_p]),
    "bench_program_set_input": (
        c_int32,
        [c_void_p, c_size_t, c_int32, POINTER(c_int32), c_size_t, c_void_p, c_size_t, c_char_p],
    ),
    "bench_program_run": (c_int32, [c_void_p, c_char_p]),
    "bench_program_output": (c_void_p, [c_void_p, c_size_t, POINTER(c_size_t)]),
    "bench_program_steps": (POINTER(_Steps), [c_void_p]),
}


class Library:
    """The shared library. Needs no other package, so that it may speak before they are loaded."""

    def __init__(self, path: str | None = None) -> None:
        self.calls = ctypes.CDLL(path or os.environ["LATENCY_LIBRARY"])
        for name, (result, arguments) in _SIGNATURES.items():
            function = getattr(self.calls, name)
            function.restype, function.argtypes = result, arguments
        self.counter: int = self.calls.bench_counter_open()

    @property
    def unit(self) -> str:
        """What costs are counted in."""
        return "cycles" if self.counter >= 0 else "ns"

    def read(self) -> Reading:
        reading = Reading()
        self.calls.bench_counter_read(self.counter, byref(reading))
        return reading

    def hide_avx512(self, and_vnni: bool = True) -> bool:
        """Whether libraries loaded from now on take the processor for one without AVX-512, and without AVX-VNNI."""
        return self.calls.bench_hide_avx512(and_vnni) == 0


class Program:
    """A `.pte` on this project's runtime."""

    def __init__(self, library: Library, path: str, isa: str = "", threads: int = 1, watched: bool = False) -> None:
        self._calls = library.calls
        self._error = ctypes.create_string_buffer(_ERROR_BYTES)
        counter = byref(c_int(library.counter)) if watched else None
        self._program = self._calls.bench_program_open(path.encode(), isa.encode(), threads, counter, self._error)
        if not self._program:
            raise NativeError(self._error.value.decode())

    def _check(self, status: int) -> None:
        if status:
            raise NativeError(self._error.value.decode())

    def set_input(self, index: int, dtype: int, sizes: tuple[int, ...], address: int, size: int) -> None:
        array = (c_int32 * len(sizes))(*sizes)
        self._check(
            self._calls.bench_program_set_input(
                self._program, index, dtype, array, len(sizes), address, size, self._error
            )
        )

    def run(self) -> None:
        self._check(self._calls.bench_program_run(self._program, self._error))

    def output(self, index: int) -> bytes:
        size = c_size_t()
        address = self._calls.bench_program_output(self._program, index, byref(size))
        return ctypes.string_at(address, size.value)

    @property
    def memory(self) -> dict[str, int]:
        """Bytes that the loaded method takes besides its file."""
        parts = ("planned", "scratch", "method")
        return {part: getattr(self._calls, f"bench_program_{part}_bytes")(self._program) for part in parts}

    def steps(self) -> list[StepCost]:
        """What was seen of a watched program's runs, in their order."""
        steps = self._calls.bench_program_steps(self._program).contents
        items = (steps.items[index] for index in range(steps.count))
        return [
            StepCost(
                item.instruction,
                item.step if item.kind == _STEP_OF_DELEGATE else None,
                item.name.decode(),
                item.best,
            )
            for item in items
        ]

    def close(self) -> None:
        self._calls.bench_program_close(self._program)
        self._program = None
