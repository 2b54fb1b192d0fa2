"""Tests of writing programs and reading them back."""

import struct
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from exir import schema
from exir._serialize import (
    NamedBlob,
    PTEFile,
    deserialize_pte_binary,
    read_root,
    serialize_pte_binary,
)
from exir._serialize._segments import write_root
from exir.error import ConfigError

FIXTURES = sorted((Path(__file__).parents[2] / "tests" / "fixtures").glob("**/*.pte"))


def every_kind_of_value() -> list[schema.KernelTypes]:
    return [
        schema.Null(),
        schema.Int(-(2**63)),
        schema.Bool(True),
        schema.Double(float("inf")),
        schema.Tensor(
            scalar_type=schema.ScalarType.FLOAT,
            sizes=[2, 3],
            dim_order=[0, 1],
            requires_grad=True,
            data_buffer_idx=1,
            allocation_info=schema.AllocationDetails(1, 16, 2),
            shape_dynamism=schema.TensorShapeDynamism.DYNAMIC_BOUND,
            extra_tensor_info=schema.ExtraTensorInfo(fully_qualified_name="größe"),
        ),
        schema.String("text"),
        schema.IntList([1, -1, 2**40]),
        schema.DoubleList([0.5, float("-inf")]),
        schema.BoolList([True, False]),
        schema.TensorList([4, 4]),
        schema.OptionalTensorList([-1, 4]),
    ]


def program() -> schema.Program:
    instructions: list[schema.InstructionArguments] = [
        schema.KernelCall(0, [1, 2, 3]),
        schema.DelegateCall(0, [4]),
        schema.MoveCall(1, 2),
        schema.JumpFalseCall(2, 5),
        schema.FreeCall(4),
    ]
    plan = schema.ExecutionPlan(
        name="forward",
        container_meta_type=schema.ContainerMetadata("in", "out"),
        values=[schema.EValue(value) for value in every_kind_of_value()],
        inputs=[4],
        outputs=[4, 1],
        chains=[
            schema.Chain(instructions=[schema.Instruction(instruction) for instruction in instructions])
        ],
        operators=[schema.Operator("aten::add", "out"), schema.Operator("aten::copy_", "")],
        delegates=[
            schema.BackendDelegate(
                "Backend",
                schema.BackendDelegateDataReference(schema.DataLocation.INLINE, 0),
                [schema.CompileSpec("key", b"\x00\x01")],
            )
        ],
        non_const_buffer_sizes=[0, 2**33],
    )
    return schema.Program(
        execution_plan=[plan],
        constant_buffer=[schema.Buffer(), schema.Buffer(b"\x01\x02\x03"), schema.Buffer(b"\x04" * 40)],
        backend_delegate_data=[schema.BackendDelegateInlineData(b"payload")],
    )


def header(data: bytes) -> tuple[int, int, int, int]:
    """Return the header's length, program size, segment base and segment size."""
    assert data[8:12] == b"eh00"
    return struct.unpack_from("<IQQQ", data, 12)


def test_every_kind_of_value_and_instruction_round_trips() -> None:
    read = deserialize_pte_binary(bytes(serialize_pte_binary(PTEFile(program()))))
    assert read.program.execution_plan == program().execution_plan


@pytest.mark.parametrize("states", [[b"", b"ab"], [b"", b"ab", b"c"]])
def test_constants_states_and_named_data_round_trip(states: list[bytes]) -> None:
    file = PTEFile(program(), list(map(schema.Buffer, states)), [NamedBlob("key", b"named", 64)])
    read = deserialize_pte_binary(bytes(serialize_pte_binary(file)))
    constants = [bytes(buffer.storage) for buffer in read.program.constant_buffer]
    assert [c.rstrip(b"\0") for c in constants] == [b"", b"\x01\x02\x03", b"\x04" * 40]
    assert [bytes(buffer.storage) for buffer in read.mutable_data] == states
    assert [(blob.key, bytes(blob.data)) for blob in read.named_data] == [("key", b"named")]
    assert bytes(read.program.backend_delegate_data[0].data) == b"payload"


def test_empty_delegate_payloads_round_trip() -> None:
    contents = [b"", b"one", b"", b"one"]
    payloads = [schema.BackendDelegateInlineData(content) for content in contents]
    references = [
        schema.BackendDelegateDataReference(schema.DataLocation.INLINE, i) for i in range(len(contents))
    ]
    plan = replace(
        program().execution_plan[0],
        delegates=[schema.BackendDelegate("Backend", reference) for reference in references],
    )
    file = PTEFile(replace(program(), execution_plan=[plan], backend_delegate_data=payloads))
    data = bytes(serialize_pte_binary(file))
    read = deserialize_pte_binary(data).program
    found = [delegate.processed for delegate in read.execution_plan[0].delegates]
    assert all(payload is not None for payload in found)
    assert [
        bytes(read.backend_delegate_data[payload.index].data) for payload in found if payload
    ] == contents
    assert data.count(b"one") == 1


def test_named_data_alignment_satisfies_all_its_keys() -> None:
    blobs = [NamedBlob("a", b"same", 1), NamedBlob("b", b"same", 512), NamedBlob("c", b"odd", 384)]
    data = bytes(serialize_pte_binary(PTEFile(program(), [], blobs)))
    read = deserialize_pte_binary(data)
    assert [(blob.key, bytes(blob.data)) for blob in read.named_data] == [
        ("a", b"same"),
        ("b", b"same"),
        ("c", b"odd"),
    ]
    assert data.count(b"same") == 1
    assert data.index(b"same") % 512 == 0 and data.index(b"odd") % 384 == 0


def test_named_data_is_ordered_by_key_length_and_bytes() -> None:
    keys = ["beta", "é", "b", "alpha", "abc", "a", "z"]  # "é" has two bytes
    blobs = [NamedBlob(key, key.encode(), 16) for key in keys]
    data = bytes(serialize_pte_binary(PTEFile(program(), [], blobs)))
    read = deserialize_pte_binary(data)
    assert [(blob.key, bytes(blob.data).decode()) for blob in read.named_data] == [
        (key, key) for key in ("a", "b", "z", "é", "abc", "beta", "alpha")
    ]
    assert data == bytes(serialize_pte_binary(PTEFile(program(), [], blobs[::-1])))


def test_equal_programs_give_equal_bytes() -> None:
    assert bytes(serialize_pte_binary(PTEFile(program()))) == bytes(
        serialize_pte_binary(PTEFile(program()))
    )


def test_header_states_program_and_segment_offsets() -> None:
    data = bytes(serialize_pte_binary(PTEFile(program())))
    length, program_size, base, size = header(data)
    assert length == 32
    assert base == -(-program_size // 128) * 128
    assert base + size == len(data)


def test_program_without_data_has_no_header() -> None:
    bare = replace(program(), constant_buffer=[], backend_delegate_data=[])
    plan = replace(bare.execution_plan[0], delegates=[])
    data = bytes(serialize_pte_binary(PTEFile(replace(bare, execution_plan=[plan]))))
    assert data[4:8] == b"ET12" and data[8:12] != b"eh00"
    stored = read_root(schema.Program, memoryview(data))
    assert not stored.segments and stored.constant_segment is None


@pytest.mark.parametrize("alignment", [16, 64, 4096])
def test_constants_are_aligned_in_the_file(alignment: int) -> None:
    data = bytes(
        serialize_pte_binary(
            PTEFile(program()), segment_alignment=alignment, constant_tensor_alignment=alignment
        )
    )
    base = header(data)[2]
    assert data.index(b"\x04" * 40) % alignment == 0
    assert base % alignment == 0


def test_delegates_stay_in_the_flatbuffer_when_not_extracted() -> None:
    data = bytes(
        serialize_pte_binary(PTEFile(program()), extract_delegate_segments=False, delegate_alignment=64)
    )
    place = data.index(b"payload")
    assert place < header(data)[1]
    assert place % 64 == 0


def test_unaligned_bytes_are_not_padded_for_delegates() -> None:
    spec = schema.CompileSpec("key", b"\x01")
    assert write_root(spec, b"TEST", inline_alignment=4096) == write_root(spec, b"TEST")


def test_equal_delegates_are_stored_once() -> None:
    plan = program().execution_plan[0]
    twice = [
        plan.delegates[0],
        replace(plan.delegates[0], processed=schema.BackendDelegateDataReference(index=1)),
    ]
    doubled = replace(
        program(),
        execution_plan=[replace(plan, delegates=twice)],
        backend_delegate_data=[schema.BackendDelegateInlineData(b"payload")] * 2,
    )
    assert bytes(serialize_pte_binary(PTEFile(doubled))).count(b"payload") == 1


def test_serialized_pieces_do_not_copy_constants() -> None:
    weights = bytearray(b"\x07" * 64)
    big = replace(program(), constant_buffer=[schema.Buffer(), schema.Buffer(memoryview(weights))])
    pieces = serialize_pte_binary(PTEFile(big)).pieces
    assert any(isinstance(piece, memoryview) and piece.obj is weights for piece in pieces)


@pytest.mark.parametrize(
    "name", ["segment_alignment", "constant_tensor_alignment", "delegate_alignment"]
)
def test_alignment_must_be_a_power_of_two(name: str) -> None:
    with pytest.raises(ConfigError, match=f"'{name}' must be a power of two, got 24"):
        serialize_pte_binary(PTEFile(program()), **cast(Any, {name: 24}))


def test_official_program_fixtures_exist() -> None:
    assert FIXTURES


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_official_programs_round_trip(path: Path) -> None:
    first = deserialize_pte_binary(path.read_bytes())
    second = deserialize_pte_binary(bytes(serialize_pte_binary(first)))
    blobs = sorted(first.named_data, key=lambda blob: (len(blob.key), blob.key))
    assert second == replace(first, named_data=blobs)


def test_program_without_constants_has_no_constant_segment() -> None:
    bare = schema.Program(execution_plan=[schema.ExecutionPlan(name="forward")])
    data = bytes(serialize_pte_binary(PTEFile(bare)))
    assert data[8:12] != b"eh00"
    assert deserialize_pte_binary(data).program.constant_buffer == []


def test_offsets_below_4_gib_need_no_upper_half() -> None:
    assert schema.AllocationDetails(1, 16).memory_offset == 16
    assert schema.AllocationDetails(1, 16, 2).memory_offset == 16 + (2 << 32)
