"""Tests that malformed bytes of any kind raise an `InvalidProgramError`."""

import contextlib
import random
import struct
from pathlib import Path

import flatbuffers
import pytest

from exir._serialize import PTEFile, deserialize_pte_binary, serialize_pte_binary
from exir._serialize.program_test import program
from exir.error import InvalidProgramError

FIXTURES = sorted((Path(__file__).parents[2] / "tests" / "fixtures").glob("**/tut*.pte"))
ROOT_AT = 8 + 32
"""Offset at which the flatbuffer continues after a header of 32 bytes."""


@pytest.fixture
def data() -> bytearray:
    return bytearray(serialize_pte_binary(PTEFile(program())).__bytes__())


def survives(data: bytes) -> None:
    """Read `data`; only an `InvalidProgramError` is allowed."""
    with contextlib.suppress(InvalidProgramError):
        deserialize_pte_binary(data)


def test_program_truncated_at_every_byte_is_refused(data: bytearray) -> None:
    for length in range(len(data)):
        with pytest.raises(InvalidProgramError):
            deserialize_pte_binary(bytes(data[:length]))


@pytest.mark.parametrize("identifier", [b"ET11", b"ET13", b"\0\0\0\0"])
def test_unknown_identifier_is_refused(data: bytearray, identifier: bytes) -> None:
    data[4:8] = identifier
    with pytest.raises(InvalidProgramError, match="file identifier: expected b'ET12'"):
        deserialize_pte_binary(bytes(data))


@pytest.mark.parametrize("offset, size", [(12, 4), (16, 8), (24, 8), (32, 8)])
@pytest.mark.parametrize("value", [0, 1, 23, 2**31, 2**32 - 1, 2**63, 2**64 - 1])
def test_extended_header_outside_the_file_is_refused(
    data: bytearray, offset: int, size: int, value: int
) -> None:
    data[offset : offset + size] = (value % 256**size).to_bytes(size, "little")
    survives(bytes(data))


def test_segment_size_of_zero_means_unstated(data: bytearray) -> None:
    expected = deserialize_pte_binary(bytes(data))
    struct.pack_into("<Q", data, 32, 0)
    assert deserialize_pte_binary(bytes(data)) == expected


def test_program_size_beyond_the_file_is_refused(data: bytearray) -> None:
    struct.pack_into("<Q", data, 16, len(data) + 1)
    with pytest.raises(InvalidProgramError, match="extended header: the program has"):
        deserialize_pte_binary(bytes(data))


@pytest.mark.parametrize("root", [0, 2**31, 2**32 - 1])
def test_root_offset_outside_the_file_is_refused(data: bytearray, root: int) -> None:
    struct.pack_into("<I", data, 0, root)
    with pytest.raises(InvalidProgramError, match="root|Program"):
        deserialize_pte_binary(bytes(data))


def test_offset_of_zero_is_refused(data: bytearray) -> None:
    struct.pack_into("<I", data, 0, 0)
    with pytest.raises(InvalidProgramError, match="offset 0 points to itself"):
        deserialize_pte_binary(bytes(data))


def test_reader_survives_any_replaced_word_of_a_program(data: bytearray) -> None:
    for offset in range(ROOT_AT, len(data) - 3, 4):
        for value in (0, 0x7FFFFFFF, 0xFFFFFFFF, len(data)):
            damaged = bytearray(data)
            struct.pack_into("<I", damaged, offset, value)
            survives(bytes(damaged))


def test_string_without_nul_is_refused(data: bytearray) -> None:
    end = data.index(b"forward\0") + len(b"forward")
    data[end] = ord("x")
    with pytest.raises(InvalidProgramError, match=r"execution_plan\[0\].name: the string does not end"):
        deserialize_pte_binary(bytes(data))


def test_string_that_is_not_utf8_is_refused(data: bytearray) -> None:
    start = data.index(b"forward\0")
    data[start] = 0xFF
    with pytest.raises(InvalidProgramError, match="name: the string is not UTF-8"):
        deserialize_pte_binary(bytes(data))


def test_program_with_all_fields_absent_is_refused() -> None:
    builder = flatbuffers.Builder(0)
    builder.StartObject(0)
    builder.Finish(builder.EndObject(), file_identifier=b"ET12")
    read = deserialize_pte_binary(bytes(builder.Output()))
    assert read.program.execution_plan == []


def test_value_without_union_tag_is_refused() -> None:
    with pytest.raises(InvalidProgramError, match=r"values\[0\].val: the union has no tag"):
        deserialize_pte_binary(_program_of_one_plan(_values_vector(tag=None)))


def test_python_reader_rejects_unknown_union_tags() -> None:
    with pytest.raises(InvalidProgramError, match=r"values\[0\].val: union tag 12 is not in 1..11"):
        deserialize_pte_binary(_program_of_one_plan(_values_vector(tag=12)))


def test_unknown_dtype_is_refused(data: bytearray) -> None:
    builder_bytes = bytes(data)
    found = 0
    for offset in range(ROOT_AT, len(builder_bytes)):
        damaged = bytearray(builder_bytes)
        damaged[offset] = 99
        try:
            deserialize_pte_binary(bytes(damaged))
        except InvalidProgramError as error:
            found += "99 is not a ScalarType" in str(error)
    assert found == 1


def test_segment_past_the_end_is_refused(data: bytearray) -> None:
    struct.pack_into("<Q", data, 32, struct.unpack_from("<Q", data, 32)[0] - 1)
    with pytest.raises(InvalidProgramError, match=r"segments\[1\]: ends at"):
        deserialize_pte_binary(bytes(data))


def test_shared_vectors_cannot_multiply_the_work() -> None:
    count = 4000
    with pytest.raises(InvalidProgramError, match="too many elements share bytes"):
        deserialize_pte_binary(_shared_plans(count))


def test_randomly_damaged_official_programs_are_survived() -> None:
    choose = random.Random(0)
    for path in FIXTURES:
        data = path.read_bytes()
        for _ in range(60):
            survives(_corrupt(data, choose))


def _corrupt(data: bytes, choose: random.Random) -> bytes:
    damaged = bytearray(data)
    for _ in range(choose.randint(1, 8)):
        damaged[choose.randrange(len(damaged))] = choose.randrange(256)
    return bytes(damaged[: choose.randint(len(damaged) // 2, len(damaged))])


class _ValuesWriter:
    """Writes the `values` of a plan: one EValue, with the given tag or without a tag."""

    def __init__(self, tag: int | None) -> None:
        self._tag = tag

    def __call__(self, builder: flatbuffers.Builder) -> int:
        builder.StartObject(0)
        null = builder.EndObject()
        builder.StartObject(2)
        if self._tag is not None:
            builder.PrependUint8Slot(0, self._tag, 0)
        builder.PrependUOffsetTRelativeSlot(1, null, 0)
        return _offset_vector(builder, [builder.EndObject()])


def _values_vector(tag: int | None) -> _ValuesWriter:
    return _ValuesWriter(tag)


def _offset_vector(builder: flatbuffers.Builder, offsets: list[int]) -> int:
    builder.StartVector(4, len(offsets), 4)
    for offset in reversed(offsets):
        builder.PrependUOffsetTRelative(offset)
    return builder.EndVector()


def _one_field_table(builder: flatbuffers.Builder, slot: int, offset: int) -> int:
    builder.StartObject(slot + 1)
    builder.PrependUOffsetTRelativeSlot(slot, offset, 0)
    return builder.EndObject()


def _program_of_one_plan(write_values: _ValuesWriter) -> bytes:
    builder = flatbuffers.Builder(0)
    plan = _one_field_table(builder, 2, write_values(builder))
    builder.Finish(
        _one_field_table(builder, 1, _offset_vector(builder, [plan])), file_identifier=b"ET12"
    )
    return bytes(builder.Output())


def _shared_plans(count: int) -> bytes:
    """Return a file with `count` references to a plan with `count` equal operators."""
    builder = flatbuffers.Builder(0)
    operator = _one_field_table(builder, 0, builder.CreateString("a"))
    plan = _one_field_table(builder, 6, _offset_vector(builder, [operator] * count))
    builder.Finish(
        _one_field_table(builder, 1, _offset_vector(builder, [plan] * count)), file_identifier=b"ET12"
    )
    return bytes(builder.Output())
