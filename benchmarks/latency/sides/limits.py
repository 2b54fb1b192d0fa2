"""Lower bounds: only the arithmetic of a model, or only one read of its weights."""

from __future__ import annotations

import ctypes
import mmap
from pathlib import Path
from tempfile import TemporaryFile

from benchmarks.latency.catalog import Model
from benchmarks.latency.sides.side import Loaded, Setting, Side

_READ_STEP = 512  # bytes; sizes of bench_read_* must be multiples of this


class FmaLimit(Side):
    """Execute as many fused multiply-adds as the model has, in registers."""

    name = "FMA limit"

    def takes(self, model: Model) -> bool:
        return True

    def load(self, model: Model, path: Path | None, setting: Setting) -> Loaded:
        multiply_add = getattr(setting.library.calls, f"bench_fma_{setting.isa}")
        operations = model.operations
        return Loaded(lambda: multiply_add(operations))


class ReadLimit(Side):
    """Read as many bytes as the model's weights have, from a mapped file.

    Real weights are mapped as well. The read rate of anonymous memory with small pages varies
    between processes.
    """

    def __init__(self, name: str, bits: float) -> None:
        self.name = name
        self._bits = bits

    def takes(self, model: Model) -> bool:
        return model.kind == "decoder"

    def load(self, model: Model, path: Path | None, setting: Setting) -> Loaded:
        size = int(model.weights * self._bits / 8) // _READ_STEP * _READ_STEP
        data = _mapped_bytes(size)
        read = getattr(setting.library.calls, f"bench_read_{setting.isa}")
        start = ctypes.addressof(ctypes.c_char.from_buffer(data))
        return Loaded(lambda data=data: read(start, size), memory={"read": size})  # type: ignore[misc]


def _mapped_bytes(size: int) -> mmap.mmap:
    """Map a temporary file, page-aligned, that is deleted after its last use."""
    with TemporaryFile() as file:
        file.write(bytes(size))
        file.flush()
        return mmap.mmap(file.fileno(), size, access=mmap.ACCESS_COPY)
