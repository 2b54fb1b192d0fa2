"""Tests that arbitrary bytes yield a GGUF file or a `GgufError`."""

import random
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from exir.files.gguf_file import GgufError, GgufFile, read_gguf_file


def _encode_string(text: str) -> bytes:
    return struct.pack("<Q", len(text.encode())) + text.encode()


def _encode_entry(key: str, kind: int, value: bytes) -> bytes:
    return _encode_string(key) + struct.pack("<I", kind) + value


def _encode_array(kind: int, count: int, elements: bytes = b"") -> bytes:
    return struct.pack("<IQ", kind, count) + elements


def _encode_tensor_info(name: str, dims: tuple[int, ...], kind: int = 0, offset: int = 0) -> bytes:
    record = _encode_string(name) + struct.pack(f"<I{len(dims)}Q", len(dims), *dims)
    return record + struct.pack("<IQ", kind, offset)


def _encode_file(
    entries: list[bytes], tensors: list[bytes], data: bytes = b"", version: int = 3
) -> bytes:
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(entries))
    body = head + b"".join(entries) + b"".join(tensors)
    return body + bytes(-len(body) % 32) + data


def _read_bytes(
    tmp_path: Path, data: bytes, key_filter: Callable[[str], bool] = lambda key: True
) -> GgufFile:
    path = tmp_path / "m.gguf"
    path.write_bytes(data)
    return read_gguf_file(path, key_filter)


def test_every_kind_of_gguf_entry_is_read(tmp_path: Path) -> None:
    nested = _encode_array(9, 1, _encode_array(8, 2, _encode_string("a") + _encode_string("é")))
    entries = [
        _encode_entry("flag", 7, b"\2"),
        _encode_entry("byte", 1, b"\xff"),
        _encode_entry("wide", 10, b"\xff" * 8),
        _encode_entry("real", 12, struct.pack("<d", 0.5)),
        _encode_entry("text", 8, _encode_string("né")),
        _encode_entry("numbers", 9, _encode_array(5, 2, struct.pack("<ii", 1, -1))),
        _encode_entry("flags", 9, _encode_array(7, 2, b"\0\1")),
        _encode_entry("nested", 9, nested),
    ]
    assert _read_bytes(tmp_path, _encode_file(entries, [])).metadata == {
        "flag": True,
        "byte": -1,
        "wide": 2**64 - 1,
        "real": 0.5,
        "text": "né",
        "numbers": [1, -1],
        "flags": [False, True],
        "nested": [["a", "é"]],
    }


@pytest.mark.parametrize(
    ("kind", "code", "value"),
    [
        (0, "B", 255),
        (1, "b", -1),
        (2, "H", 65535),
        (3, "h", -2),
        (4, "I", 2**32 - 1),
        (5, "i", -3),
        (6, "f", 0.25),
        (10, "Q", 2**64 - 1),
        (11, "q", -4),
        (12, "d", 0.1),
    ],
)
def test_gguf_number_has_the_width_of_its_kind(
    kind: int, code: str, value: float, tmp_path: Path
) -> None:
    number = struct.pack(f"<{code}", value)
    entries = [
        _encode_entry("one", kind, number),
        _encode_entry("two", 9, _encode_array(kind, 2, number + number)),
        _encode_entry("next", 5, struct.pack("<i", 7)),
    ]
    metadata = _read_bytes(tmp_path, _encode_file(entries, [])).metadata
    assert metadata == {"one": value, "two": [value, value], "next": 7}


# `enum ggml_type` of ggml.h, without the numbers that are no longer used.
_GGML_TYPES = (
    "0 F32, 1 F16, 2 Q4_0, 3 Q4_1, 6 Q5_0, 7 Q5_1, 8 Q8_0, 9 Q8_1, 10 Q2_K, 11 Q3_K, 12 Q4_K, 13 Q5_K, "
    "14 Q6_K, 15 Q8_K, 16 IQ2_XXS, 17 IQ2_XS, 18 IQ3_XXS, 19 IQ1_S, 20 IQ4_NL, 21 IQ3_S, 22 IQ2_S, "
    "23 IQ4_XS, 24 I8, 25 I16, 26 I32, 27 I64, 28 F64, 29 IQ1_M, 30 BF16, 34 TQ1_0, 35 TQ2_0, 39 MXFP4"
)


def test_gguf_tensor_types_have_the_names_of_ggml(tmp_path: Path) -> None:
    names = dict(row.split() for row in _GGML_TYPES.split(", ")) | {"4": "number 4"}
    tensors = [_encode_tensor_info(number, (0,), int(number)) for number in names]
    found = _read_bytes(tmp_path, _encode_file([], tensors)).tensors
    assert {number: tensor.kind for number, tensor in found.items()} == names


def test_gguf_tensors_have_row_major_shapes(tmp_path: Path) -> None:
    data = struct.pack("<6f", *range(6)) + bytes(8) + struct.pack("<f", 7)
    tensors = [
        _encode_tensor_info("matrix", (3, 2)),
        _encode_tensor_info("scalar", (), 0, 32),
        _encode_tensor_info("none", (0, 2), 2),
    ]
    found = _read_bytes(tmp_path, _encode_file([], tensors, data)).tensors
    assert found["matrix"].shape == (2, 3) and found["matrix"].kind == "F32"
    assert found["matrix"].blocks().view("<f4").ravel().tolist() == [0, 1, 2, 3, 4, 5]
    assert found["scalar"].blocks().view("<f4").ravel().tolist() == [7]
    assert found["none"].blocks().size == 0


def test_only_requested_gguf_entries_are_read(tmp_path: Path) -> None:
    entries = [_encode_entry("a", 8, _encode_string("x")), _encode_entry("b", 8, _encode_string("y"))]
    assert _read_bytes(tmp_path, _encode_file(entries, []), lambda key: key == "b").metadata == {
        "b": "y"
    }


_DAMAGED = [
    (b"", "the file is empty"),
    (b"GGUX" + bytes(20), "the file does not start with 'GGUF'"),
    (_encode_file([], [], version=1), "unsupported version 1; supported: 2 and 3$"),
    (
        _encode_file([], [], version=3 << 24),
        "unsupported version 50331648; supported: 2 and 3; the file is big-endian",
    ),
    (b"GGUF" + struct.pack("<IQQ", 3, 2**60, 0), "the tensor count is 1152921504606846976, but"),
    (
        b"GGUF" + struct.pack("<IQQ", 3, 0, 2**63),
        "the metadata entry count is 9223372036854775808, but",
    ),
    (
        _encode_file([_encode_entry("a", 9, _encode_array(0, 2**40))], []),
        "the length of 'a' is 1099511627776, but",
    ),
    (
        _encode_file([_encode_entry("a", 9, _encode_array(8, 2**64 - 1))], []),
        "the length of 'a' is 18446744073709551615",
    ),
    (
        _encode_file([_encode_entry("a", 8, struct.pack("<Q", 2**64 - 8))], []),
        "'a' needs 18446744073709551608 bytes",
    ),
    (_encode_file([_encode_entry("a", 13, b"")], []), "'a' has the unknown type 13"),
    (
        _encode_file([_encode_entry("a", 9, _encode_array(14, 0))], []),
        "'a' has the unknown element type 14",
    ),
    (
        _encode_file([_encode_entry("a", 0, b"\1"), _encode_entry("a", 0, b"\1")], []),
        "duplicate metadata entry 'a'",
    ),
    (
        _encode_file([_encode_entry("a", 8, struct.pack("<Q", 1) + b"\xff")], []),
        "'a' at offset .* is not UTF-8",
    ),
    (
        _encode_file(
            [
                _encode_entry(
                    "a",
                    9,
                    _encode_array(
                        9,
                        1,
                        _encode_array(
                            9, 1, _encode_array(9, 1, _encode_array(9, 1, _encode_array(0, 0)))
                        ),
                    ),
                )
            ],
            [],
        ),
        "'a' nests arrays more than 4 levels deep",
    ),
    (
        _encode_file([_encode_entry("general.alignment", 4, bytes(4))], []),
        "'general.alignment' is 0, not a power of two",
    ),
    (
        _encode_file([_encode_entry("general.alignment", 8, _encode_string("x"))], []),
        "'general.alignment' is 'x', not a power",
    ),
    (
        _encode_file([], [_encode_tensor_info("t", (1,)), _encode_tensor_info("t", (1,))], bytes(32)),
        "duplicate tensor 't'",
    ),
    (
        _encode_file([], [_encode_tensor_info("t", (1,), offset=4)], bytes(32)),
        "tensor 't': offset 4 is not a multiple",
    ),
    (
        _encode_file([], [_encode_tensor_info("t", (1,) * 9)], bytes(32)),
        "tensor 't' has 9 dimensions; at most 8",
    ),
]


@pytest.mark.parametrize(("data", "message"), _DAMAGED)
def test_damaged_gguf_header_is_refused(tmp_path: Path, data: bytes, message: str) -> None:
    with pytest.raises(GgufError, match=message):
        _read_bytes(tmp_path, data)


@pytest.mark.parametrize(
    ("tensor", "message"),
    [
        (
            _encode_tensor_info("t", (8,), 0, 2**64 - 32),
            "tensor 't': 32 bytes at offset .* exceed the file",
        ),
        (_encode_tensor_info("t", (2**63, 2**63)), "tensor 't': .* bytes at offset .* exceed the file"),
        (
            _encode_tensor_info("t", (9,)),
            "tensor 't': 36 bytes at offset 64 exceed the file of 96 bytes",
        ),
        (
            _encode_tensor_info("t", (31,), 2),
            "tensor 't': row length 31 is not a multiple of the Q4_0 block size 32",
        ),
        (_encode_tensor_info("t", (32,), 9), "tensor 't' has the unsupported type Q8_1"),
        (_encode_tensor_info("t", (32,), 999), "tensor 't' has the unsupported type number 999"),
    ],
)
def test_damaged_gguf_tensor_is_refused_when_read(tmp_path: Path, tensor: bytes, message: str) -> None:
    file = _read_bytes(tmp_path, _encode_file([], [tensor], bytes(32)))
    with pytest.raises(GgufError, match=message):
        file.tensors["t"].blocks()


def test_randomly_damaged_gguf_file_is_read_or_refused(tmp_path: Path) -> None:
    entries = [
        _encode_entry("text", 8, _encode_string("abc")),
        _encode_entry(
            "words",
            9,
            _encode_array(8, 3, _encode_string("a") + _encode_string("bc") + _encode_string("")),
        ),
        _encode_entry("numbers", 9, _encode_array(4, 3, bytes(12))),
    ]
    encoded = _encode_file(
        entries, [_encode_tensor_info("t", (8, 2)), _encode_tensor_info("q", (32, 2), 2, 64)], bytes(128)
    )
    draw = random.Random(1)
    outcomes = {"file": 0, "error": 0}
    for _ in range(3000):
        damaged = bytearray(
            encoded[: draw.randrange(1, len(encoded)) if draw.random() < 0.2 else len(encoded)]
        )
        for _ in range(draw.randrange(1, 4)):
            damaged[draw.randrange(len(damaged))] = draw.choice((0, 1, 0x7F, 0xFF, draw.randrange(256)))
        try:
            for tensor in _read_bytes(tmp_path, bytes(damaged)).tensors.values():
                tensor.blocks()
            outcomes["file"] += 1
        except GgufError:
            outcomes["error"] += 1
    assert min(outcomes.values()) > 100
