"""The tables of `schema/flat_tensor.fbs`: the flatbuffer inside a `.ptd` file."""

from dataclasses import dataclass, field
from typing import Annotated

from exir.schema import DataSegment, Int32, ScalarType, UInt8, UInt32


@dataclass(frozen=True)
class TensorLayout:
    """How the bytes of a tensor lie: dimensions in `dim_order` from slowest to fastest."""

    scalar_type: Annotated[ScalarType, "int8"] = ScalarType.BYTE
    sizes: list[Int32] = field(default_factory=list)
    dim_order: list[UInt8] = field(default_factory=list)


@dataclass
class NamedData:
    """A segment that is found by name: a tensor, or, without a layout, bytes."""

    key: str | None = None
    segment_index: UInt32 = 0
    tensor_layout: TensorLayout | None = None


@dataclass
class FlatTensor:
    """The root."""

    version: UInt32 = 0
    segments: list[DataSegment] = field(default_factory=list)
    named_data: list[NamedData] = field(default_factory=list)
