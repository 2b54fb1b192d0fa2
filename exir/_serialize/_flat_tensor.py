"""The tables of `schema/flat_tensor.fbs`: the flatbuffer inside a `.ptd` file."""

from dataclasses import dataclass, field
from typing import Annotated

from exir.schema import DataSegment, Int32, ScalarType, UInt8, UInt32


@dataclass(frozen=True)
class TensorLayout:
    """The memory layout of a tensor. `dim_order` lists the slowest dimension first."""

    scalar_type: Annotated[ScalarType, "int8"] = ScalarType.BYTE
    sizes: list[Int32] = field(default_factory=list)
    dim_order: list[UInt8] = field(default_factory=list)


@dataclass
class NamedData:
    """The segment of a key: a tensor, or bytes if it has no layout."""

    key: str | None = None
    segment_index: UInt32 = 0
    tensor_layout: TensorLayout | None = None


@dataclass
class FlatTensor:
    """The root table."""

    version: UInt32 = 0
    segments: list[DataSegment] = field(default_factory=list)
    named_data: list[NamedData] = field(default_factory=list)
