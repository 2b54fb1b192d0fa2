"""Tests of the shared library that are valid on every machine."""

from __future__ import annotations

import ctypes

from benchmarks.latency.native import Library


def test_measured_cost_grows_with_work():
    library = Library()
    before = library.read()
    sum(range(1_000_000))
    after = library.read()
    assert after.thread_ns > before.thread_ns and after.process_ns > before.process_ns
    assert (library.unit == "cycles") == (after.cycles > before.cycles)


def test_reading_touches_every_byte():
    data = (ctypes.c_uint64 * 64)()
    address = ctypes.addressof(data)
    library = Library()
    expected = 0
    for index in range(64):
        data[index] = 1 << index
        expected |= 1 << index
        size = ctypes.sizeof(data)
    aligned = (ctypes.c_char * (size + 64))()
    start = ctypes.addressof(aligned) + -ctypes.addressof(aligned) % 64
    ctypes.memmove(start, address, size)
    assert library.calls.bench_read_avx2(start, size) == expected
