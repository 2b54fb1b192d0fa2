"""Tests of reading and writing `.ptd` files."""

import contextlib
import struct
from pathlib import Path

import pytest

from exir._serialize import ExternalData, TensorLayout, content_key, deserialize_ptd, serialize_ptd
from exir.error import InvalidProgramError
from exir.schema import ScalarType

FIXTURES = Path(__file__).parents[2] / "tests" / "fixtures"
FLOATS = TensorLayout(ScalarType.FLOAT, [2], [0])


def read(file: bytes) -> dict[str, tuple[bytes, TensorLayout | None]]:
    return {entry.key: (bytes(entry.data), entry.layout) for entry in deserialize_ptd(file)}


def test_data_file_entries_round_trip() -> None:
    entries = [ExternalData("weight", b"12345678", FLOATS), ExternalData("b", b"bytes", alignment=512)]
    file = bytes(serialize_ptd(entries))
    assert read(file) == {"b": (b"bytes", None), "weight": (b"12345678", FLOATS)}
    assert file.index(b"bytes") % 512 == 0 and file.index(b"12345678") % 128 == 0


def test_data_file_stores_equal_bytes_once() -> None:
    file = bytes(serialize_ptd([ExternalData("a", b"12345678", FLOATS), ExternalData("b", b"12345678")]))
    assert file.count(b"12345678") == 1 and len(read(file)) == 2


def test_entry_order_does_not_change_the_data_file() -> None:
    entries = [ExternalData(key, key.encode()) for key in ("bb", "a", "c")]
    assert bytes(serialize_ptd(entries)) == bytes(serialize_ptd(entries[::-1]))
    assert list(read(bytes(serialize_ptd(entries)))) == ["a", "c", "bb"]


def test_data_file_may_be_empty() -> None:
    assert deserialize_ptd(bytes(serialize_ptd([]))) == []


def test_content_key_depends_on_bytes_and_layout() -> None:
    others = [TensorLayout(ScalarType.INT, [2], [0]), TensorLayout(ScalarType.FLOAT, [1, 2], [0, 1])]
    keys = {content_key(b"12345678", layout) for layout in [FLOATS, *others]}
    keys |= {content_key(b"12345679", FLOATS)}
    assert len(keys) == 4
    assert content_key(b"12345678", FLOATS) in keys
    assert all(key.startswith("sha256:") and len(key) == 71 for key in keys)


def test_data_file_of_the_official_exporter_is_read() -> None:
    found = read((FIXTURES / "mlp_weights.ptd").read_bytes())
    assert {key: layout.sizes for key, (_, layout) in found.items() if layout} == {
        "0.weight": [32, 16],
        "0.bias": [32],
        "2.weight": [4, 32],
        "2.bias": [4],
    }
    assert all(
        layout is None for _, layout in read((FIXTURES / "xnn_weights.ptd").read_bytes()).values()
    )


def survives(file: bytes) -> None:
    with contextlib.suppress(InvalidProgramError):
        deserialize_ptd(file)


def test_data_file_truncated_at_every_byte_is_refused() -> None:
    file = (FIXTURES / "mlp_weights.ptd").read_bytes()
    for length in range(len(file)):
        with pytest.raises(InvalidProgramError):
            deserialize_ptd(file[:length])


def test_data_file_entry_without_key_or_segment_is_refused() -> None:
    file = (FIXTURES / "mlp_weights.ptd").read_bytes()
    # The field offset of the key in the first entry's table, and the segment of the second entry.
    for place, code, old, new, message in (
        (0x12E, "<H", 4, 0, r"named_data\[0\]: the key or segment 0 is missing"),
        (0xF4, "<I", 1, 9, r"named_data\[1\]: the key or segment 9 is missing"),
    ):
        damaged = bytearray(file)
        assert struct.unpack_from(code, damaged, place) == (old,)
        struct.pack_into(code, damaged, place, new)
        with pytest.raises(InvalidProgramError, match=message):
            deserialize_ptd(bytes(damaged))


def test_reader_survives_any_replaced_word_of_a_data_file() -> None:
    file = (FIXTURES / "mlp_weights.ptd").read_bytes()
    for offset in range(0, 512, 4):
        for value in (0, 0x7FFFFFFF, 0xFFFFFFFF, len(file)):
            damaged = bytearray(file)
            struct.pack_into("<I", damaged, offset, value)
            survives(bytes(damaged))
