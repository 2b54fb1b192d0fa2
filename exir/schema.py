"""The `.pte` program (flatbuffers, identifier `ET12`) as dataclasses.

Fields are in the order of their flatbuffer field ids, and annotations specify their encoded types.
The writer and the reader of `exir._serialize` both work from these classes. A field that equals its
default is not written.
"""

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Annotated, Optional, Union

UInt8 = Annotated[int, "uint8"]
Int8 = Annotated[int, "int8"]
Int32 = Annotated[int, "int32"]
UInt32 = Annotated[int, "uint32"]
Int64 = Annotated[int, "int64"]
UInt64 = Annotated[int, "uint64"]
Float64 = Annotated[float, "float64"]
Bytes = Annotated[bytes | memoryview, "uint8"]
AlignedBytes = Annotated[bytes | memoryview, "uint8", "aligned"]


class ScalarType(IntEnum):
    """The element type of a tensor. COMPLEX32 has a code, but files cannot contain it."""

    BYTE = 0
    CHAR = 1
    SHORT = 2
    INT = 3
    LONG = 4
    HALF = 5
    FLOAT = 6
    DOUBLE = 7
    COMPLEX32 = 8
    COMPLEX64 = 9
    COMPLEX128 = 10
    BOOL = 11
    QINT8 = 12
    QUINT8 = 13
    QINT32 = 14
    BFLOAT16 = 15
    QUINT4x2 = 16
    QUINT2x4 = 17
    BITS16 = 22
    FLOAT8E5M2 = 23
    FLOAT8E4M3FN = 24
    FLOAT8E5M2FNUZ = 25
    FLOAT8E4M3FNUZ = 26
    UINT16 = 27
    UINT32 = 28
    UINT64 = 29


class TensorShapeDynamism(IntEnum):
    """Whether a tensor's sizes are exact, upper bounds, or unknown."""

    STATIC = 0
    DYNAMIC_BOUND = 1
    DYNAMIC_UNBOUND = 2


class TensorDataLocation(IntEnum):
    """The place of a constant: a segment of this file, or an external data file."""

    SEGMENT = 0
    EXTERNAL = 1


class DeviceType(IntEnum):
    """The device of a memory area."""

    CPU = 0
    CUDA = 1


class DataLocation(IntEnum):
    """The place of a delegate's payload: the flatbuffer, or a segment."""

    INLINE = 0
    SEGMENT = 1


@dataclass
class AllocationDetails:
    """A place in planned memory.

    memory_id: planned buffer, from 1.
    memory_offset_low, memory_offset_high: offset in bytes, which is high << 32 | low.
    """

    memory_id: UInt32 = 0
    memory_offset_low: UInt32 = 0
    memory_offset_high: UInt32 = 0

    @property
    def memory_offset(self) -> int:
        """Byte offset in the planned buffer."""
        return self.memory_offset_high << 32 | self.memory_offset_low


@dataclass
class ExtraTensorInfo:
    """Optional properties of a tensor: name, initial state, external data."""

    mutable_data_segments_idx: UInt64 = 0
    fully_qualified_name: Optional[str] = None
    location: Annotated[TensorDataLocation, "int8"] = TensorDataLocation.SEGMENT
    device_type: Annotated[DeviceType, "int8"] = DeviceType.CPU
    device_index: Int8 = 0


@dataclass
class Tensor:
    """A tensor value. If `data_buffer_idx` > 0, its data is in the file at that index."""

    scalar_type: Annotated[ScalarType, "int8"] = ScalarType.BYTE
    storage_offset: Int32 = 0
    sizes: list[Int32] = field(default_factory=list)
    dim_order: list[UInt8] = field(default_factory=list)
    requires_grad: bool = False
    data_buffer_idx: UInt32 = 0
    allocation_info: Optional[AllocationDetails] = None
    layout: Int8 = 0
    shape_dynamism: Annotated[TensorShapeDynamism, "int8"] = TensorShapeDynamism.STATIC
    extra_tensor_info: Optional[ExtraTensorInfo] = None


@dataclass
class Null:
    """An absent optional argument."""


@dataclass
class Int:
    """A 64-bit integer. Dtypes, layouts and sizes known at run time are also integers."""

    int_val: Int64 = 0


@dataclass
class Bool:
    """A boolean."""

    bool_val: bool = False


@dataclass
class Double:
    """A 64-bit float."""

    double_val: Float64 = 0.0


@dataclass
class String:
    """A string."""

    string_val: Optional[str] = None


@dataclass
class IntList:
    """A list of integers. Each item is the index of an `Int` value of the plan."""

    items: list[Int64] = field(default_factory=list)


@dataclass
class DoubleList:
    """A list of 64-bit floats."""

    items: list[Float64] = field(default_factory=list)


@dataclass
class BoolList:
    """A list of booleans."""

    items: list[bool] = field(default_factory=list)


@dataclass
class TensorList:
    """Indices of tensor values."""

    items: list[Int32] = field(default_factory=list)


@dataclass
class OptionalTensorList:
    """Indices of tensor values; -1 is an absent tensor."""

    items: list[Int32] = field(default_factory=list)


KernelTypes = Union[
    Null,
    Int,
    Bool,
    Double,
    Tensor,
    String,
    IntList,
    DoubleList,
    BoolList,
    TensorList,
    OptionalTensorList,
]


@dataclass
class EValue:
    """One value of a plan. The union's tag is its position in `KernelTypes` + 1."""

    val: KernelTypes


@dataclass
class ContainerMetadata:
    """The pytree specs (PyTorch's JSON) of a method's inputs and outputs, with ranges.

    ranges: six integers per entry, as `schema/program.fbs` describes them (`exir.inspection.ranges`).
    conditions: conditions over sizes of inputs, in postfix order (`exir.emit._conditions`).
    condition_texts: one line for each condition.
    """

    encoded_inp_str: Optional[str] = None
    encoded_out_str: Optional[str] = None
    ranges: Annotated[Optional[list[Int64]], "slot 4"] = None
    conditions: Optional[list[Int64]] = None
    condition_texts: Optional[str] = None


@dataclass
class KernelCall:
    """Calls operator `op_index` with values `args`: arguments, outputs, results."""

    op_index: Int32 = 0
    args: list[Int32] = field(default_factory=list)


@dataclass
class DelegateCall:
    """Calls delegate `delegate_index` with values `args`: inputs, then outputs."""

    delegate_index: Int32 = 0
    args: list[Int32] = field(default_factory=list)


@dataclass
class MoveCall:
    """Moves the value `move_from` to `move_to`."""

    move_from: Int32 = 0
    move_to: Int32 = 0


@dataclass
class JumpFalseCall:
    """Jumps to `destination_instruction` if the condition is false."""

    cond_value_index: Int32 = 0
    destination_instruction: Int32 = 0


@dataclass
class FreeCall:
    """Releases the memory of a tensor that is not in planned memory."""

    value_index: Int32 = 0


InstructionArguments = Union[KernelCall, DelegateCall, MoveCall, JumpFalseCall, FreeCall]


@dataclass
class Instruction:
    """One instruction. The union's tag is its position in `InstructionArguments` + 1."""

    instr_args: InstructionArguments


@dataclass
class Frame:
    """One source line of an instruction."""

    filename: Optional[str] = None
    lineno: Int32 = 0
    name: Optional[str] = None
    context: Optional[str] = None


@dataclass
class FrameList:
    """The source lines of an instruction, outermost frame first."""

    items: list[Frame] = field(default_factory=list)


@dataclass
class Chain:
    """Instructions that run in order."""

    inputs: list[Int32] = field(default_factory=list)
    outputs: list[Int32] = field(default_factory=list)
    instructions: list[Instruction] = field(default_factory=list)
    stacktrace: Optional[list[FrameList]] = None


@dataclass
class Operator:
    """An operator: `aten::add` and its overload, which can be ""."""

    name: Optional[str] = None
    overload: Optional[str] = None

    @property
    def full_name(self) -> str:
        """The name under which kernels are registered, such as `aten::add.out`."""
        return f"{self.name}.{self.overload}" if self.overload else str(self.name)


@dataclass
class CompileSpec:
    """One compile-time option of a backend."""

    key: Optional[str] = None
    value: Bytes = b""


@dataclass
class BackendDelegateDataReference:
    """Index into `Program.backend_delegate_data` (INLINE) or `Program.segments`."""

    location: Annotated[DataLocation, "int8"] = DataLocation.INLINE
    index: UInt32 = 0


@dataclass
class BackendDelegate:
    """A delegate: its backend, its payload, and its compile-time options."""

    id: Optional[str] = None
    processed: Optional[BackendDelegateDataReference] = None
    compile_specs: list[CompileSpec] = field(default_factory=list)


@dataclass
class NonConstBufferDevice:
    """The device of a planned buffer."""

    buffer_idx: Int32 = 0
    device_type: Annotated[DeviceType, "int8"] = DeviceType.CPU
    device_index: Int8 = 0


@dataclass
class ExecutionPlan:
    """One method.

    non_const_buffer_sizes: size in bytes of each memory id; entry 0 is unused.
    """

    name: Optional[str] = None
    container_meta_type: Optional[ContainerMetadata] = None
    values: list[EValue] = field(default_factory=list)
    inputs: list[Int32] = field(default_factory=list)
    outputs: list[Int32] = field(default_factory=list)
    chains: list[Chain] = field(default_factory=list)
    operators: list[Operator] = field(default_factory=list)
    delegates: list[BackendDelegate] = field(default_factory=list)
    non_const_buffer_sizes: list[Int64] = field(default_factory=list)
    non_const_buffer_device: Optional[list[NonConstBufferDevice]] = None


@dataclass
class Buffer:
    """The data of a constant or of an initial state: a contiguous bytes-like object."""

    storage: AlignedBytes = b""


@dataclass
class BackendDelegateInlineData:
    """A delegate's payload in the flatbuffer."""

    data: AlignedBytes = b""


@dataclass
class DataSegment:
    """A segment after the flatbuffer. `offset` counts from the segment base."""

    offset: UInt64 = 0
    size: UInt64 = 0


@dataclass
class SubsegmentOffsets:
    """The start of each buffer in a segment; entry 0 is reserved."""

    segment_index: UInt32 = 0
    offsets: list[UInt64] = field(default_factory=list)


@dataclass
class NamedData:
    """A segment whose data is looked up by name."""

    key: Optional[str] = None
    segment_index: UInt32 = 0


@dataclass
class Program:
    """The root: methods, constants, states and delegates."""

    version: UInt32 = 0
    execution_plan: list[ExecutionPlan] = field(default_factory=list)
    constant_buffer: list[Buffer] = field(default_factory=list)
    backend_delegate_data: list[BackendDelegateInlineData] = field(default_factory=list)
    segments: list[DataSegment] = field(default_factory=list)
    constant_segment: Optional[SubsegmentOffsets] = None
    mutable_data_segments: Optional[list[SubsegmentOffsets]] = None
    named_data: Optional[list[NamedData]] = None
