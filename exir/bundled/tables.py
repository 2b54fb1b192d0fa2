"""The tables of `.bpte` files: a program bundled with test calls.

The schema is `schema/bundled_program.fbs`.
"""

from dataclasses import dataclass, field
from typing import Annotated

from exir._serialize import read_root, write_root
from exir.base_error import InvalidProgramError
from exir.schema import Bool, Double, Int, Int32, ScalarType, UInt8, UInt32

IDENTIFIER = b"BP08"
VERSION = 2

# The alignment that the schema requires for the program in the file.
_ALIGNMENT = 32


@dataclass
class Tensor:
    """A tensor. `dim_order` lists the slowest dimension of `data` first."""

    scalar_type: Annotated[ScalarType, "int8"] = ScalarType.BYTE
    sizes: list[Int32] = field(default_factory=list)
    data: Annotated[bytes, "uint8", "aligned"] = b""
    dim_order: list[UInt8] = field(default_factory=list)


ValueUnion = Tensor | Int | Bool | Double


@dataclass
class Value:
    """An input or an output of a call."""

    val: ValueUnion


@dataclass
class BundledMethodTestCase:
    """One call, with its expected outputs."""

    inputs: list[Value] = field(default_factory=list)
    expected_outputs: list[Value] = field(default_factory=list)


@dataclass
class BundledMethodTestSuite:
    """The calls of one method."""

    method_name: str | None = None
    test_cases: list[BundledMethodTestCase] = field(default_factory=list)


@dataclass
class BundledProgram:
    """The root table. `program` is the content of a `.pte` file."""

    version: UInt32 = 0
    method_test_suites: list[BundledMethodTestSuite] = field(default_factory=list)
    program: Annotated[bytes | memoryview, "uint8", "aligned"] = b""


def serialize_bpte(bundled: BundledProgram) -> bytes:
    """Return the content of a `.bpte` file."""
    return write_root(bundled, IDENTIFIER, _ALIGNMENT)


def deserialize_bpte(data: bytes | memoryview) -> BundledProgram:
    """Read a `.bpte` file. Byte vectors are views of `data`.

    Raises an `InvalidProgramError` for a file that is not valid.
    """
    view = memoryview(data)
    if bytes(view[4:8]) != IDENTIFIER:
        raise InvalidProgramError(
            f"not a bundled program: the identifier is {bytes(view[4:8])!r}, expected {IDENTIFIER!r}"
        )
    bundled: BundledProgram = read_root(BundledProgram, view)
    if bundled.version != VERSION:
        raise InvalidProgramError(
            f"bundled program of version {bundled.version}; only version {VERSION} is supported"
        )
    return bundled
