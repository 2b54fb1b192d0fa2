"""The tables of `schema/bundled_program.fbs`: a program together with calls of it, in a `.bpte` file."""

from dataclasses import dataclass, field
from typing import Annotated

from exir._serialize import read_root, write_root
from exir.base_error import InvalidProgramError
from exir.schema import Bool, Double, Int, Int32, ScalarType, UInt8, UInt32

IDENTIFIER = b"BP08"
VERSION = 2

# Of the program in the file, as the schema demands.
_ALIGNMENT = 32


@dataclass
class Tensor:
    """Its elements lie in `dim_order`, from the slowest dimension to the fastest."""

    scalar_type: Annotated[ScalarType, "int8"] = ScalarType.BYTE
    sizes: list[Int32] = field(default_factory=list)
    data: Annotated[bytes, "uint8", "aligned"] = b""
    dim_order: list[UInt8] = field(default_factory=list)


ValueUnion = Tensor | Int | Bool | Double


@dataclass
class Value:
    """What a call takes or gives."""

    val: ValueUnion


@dataclass
class BundledMethodTestCase:
    """One call."""

    inputs: list[Value] = field(default_factory=list)
    expected_outputs: list[Value] = field(default_factory=list)


@dataclass
class BundledMethodTestSuite:
    """Calls of one method."""

    method_name: str | None = None
    test_cases: list[BundledMethodTestCase] = field(default_factory=list)


@dataclass
class BundledProgram:
    """The root. program: the bytes of a `.pte`."""

    version: UInt32 = 0
    method_test_suites: list[BundledMethodTestSuite] = field(default_factory=list)
    program: Annotated[bytes | memoryview, "uint8", "aligned"] = b""


def serialize_bpte(bundled: BundledProgram) -> bytes:
    """The bytes of a `.bpte` file."""
    return write_root(bundled, IDENTIFIER, _ALIGNMENT)


def deserialize_bpte(data: bytes | memoryview) -> BundledProgram:
    """What a `.bpte` file holds; raises `InvalidProgramError`. Byte vectors are views of `data`."""
    view = memoryview(data)
    if bytes(view[4:8]) != IDENTIFIER:
        raise InvalidProgramError(
            f"not a bundled program: bytes 4 to 8 are {bytes(view[4:8])!r}, not {IDENTIFIER!r}"
        )
    bundled: BundledProgram = read_root(BundledProgram, view)
    if bundled.version != VERSION:
        raise InvalidProgramError(f"bundled program of version {bundled.version}; {VERSION} can be read")
    return bundled
