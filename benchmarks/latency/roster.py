"""All sides, in the order of the tables."""

from __future__ import annotations

from benchmarks.latency.sides.limits import FmaLimit, ReadLimit
from benchmarks.latency.sides.litert import LiteRt
from benchmarks.latency.sides.official import Xnnpack, Xnnpack4Bit, XnnpackDynamic, XnnpackInt8
from benchmarks.latency.sides.onnx import OnnxRuntime, OnnxRuntimeDynamic, OnnxRuntimeInt8
from benchmarks.latency.sides.ours import Ours, OursDynamic, OursDynamic4Bit, OursInt8, OursPlain
from benchmarks.latency.sides.pytorch import Compiled, Eager
from benchmarks.latency.sides.side import Side
from benchmarks.latency.sides.streams import OnnxRuntimeStream, OursStream

KERNELS = Ours("ours, kernels", "portable", held=False)
CPU = Ours("ours, cpu", "cpu", held=True)
_SCALED_4_BIT = 4 + 16 / 32  # a 16-bit scale for 32 weights

_ALL: tuple[Side, ...] = (
    KERNELS,
    CPU,
    OursStream("ours, cpu, in chunks", "cpu", held=True),
    OursInt8(),
    OursDynamic(),
    OursDynamic4Bit(),
    OursPlain(),
    Xnnpack(),
    XnnpackInt8(),
    XnnpackDynamic(),
    Xnnpack4Bit(),
    OnnxRuntime(),
    OnnxRuntimeInt8(),
    OnnxRuntimeDynamic(),
    OnnxRuntimeStream(),
    LiteRt(),
    Eager(),
    Compiled(),
    FmaLimit(),
    ReadLimit("read limit", 32),
    ReadLimit("read limit, 4-bit", _SCALED_4_BIT),
)
SIDES = {side.name: side for side in _ALL}
ON_REQUEST = ("torch.compile",)  # takes minutes to compile
