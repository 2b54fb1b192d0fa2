"""Tests of the protobuf messages of the worker protocol."""

import io

import pytest

from exir.cli.worker.worker_protocol import (
    ProtocolError,
    WorkRequest,
    WorkResponse,
    encode_response,
    encode_varint,
    read_request,
    write_response,
)

# arguments "ab", "c"; inputs {path "x", digest "d"}; request_id 300; verbosity 10; sandbox_dir "s".
_REQUEST = b"\x0a\x02ab\x0a\x01c\x12\x06\x0a\x01x\x12\x01d\x18\xac\x02\x28\x0a\x32\x01s"


def _encode_stream(*messages: bytes) -> io.BytesIO:
    return io.BytesIO(b"".join(encode_varint(len(message)) + message for message in messages))


def test_unused_request_fields_are_skipped() -> None:
    stream = _encode_stream(_REQUEST, b"")
    assert read_request(stream) == WorkRequest(("ab", "c"), ("x",), 300, "s")
    assert read_request(stream) == WorkRequest()
    assert read_request(stream) is None


def test_fixed_width_fields_are_skipped() -> None:
    request = read_request(_encode_stream(b"\x79" + bytes(8) + b"\x7d" + bytes(4) + b"\x18\x05"))
    assert request is not None and request.request_id == 5


@pytest.mark.parametrize("length", range(1, len(_REQUEST) + 1))
def test_truncated_request_is_refused(length: int) -> None:
    with pytest.raises(ProtocolError):
        read_request(io.BytesIO(_encode_stream(_REQUEST).getvalue()[:length]))


@pytest.mark.parametrize(
    "message", [b"\x0a\x7f", b"\x12\x00", b"\x0b", b"\xff" * 12, b"\x0a" + b"\xff" * 10]
)
def test_a_damaged_request_is_refused(message: bytes) -> None:
    with pytest.raises(ProtocolError):
        read_request(_encode_stream(message))


def test_response_is_written_with_its_length() -> None:
    stream = io.BytesIO()
    write_response(stream, WorkResponse(1, "no", 300))
    assert stream.getvalue() == b"\x09\x08\x01\x12\x02no\x18\xac\x02"


def test_empty_response_fields_are_omitted() -> None:
    assert encode_response(WorkResponse(0, "")) == b""


@pytest.mark.parametrize(
    "value, encoded", [(0, b"\0"), (127, b"\x7f"), (128, b"\x80\x01"), (-1, b"\xff" * 9 + b"\x01")]
)
def test_varints_round_trip(value: int, encoded: bytes) -> None:
    assert encode_varint(value) == encoded
