"""The part of Bazel's persistent worker protocol that the worker uses.

The protocol is defined in `worker_protocol.proto`.
Messages on both pipes are protobuf. Each message is preceded by its length as a varint:

    WorkRequest   1 arguments: repeated string, 2 inputs: repeated Input, 3 request_id: int32, 6 sandbox_dir: string
    Input         1 path: string
    WorkResponse  1 exit_code: int32, 2 output: string, 3 request_id: int32
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_LONGEST_VARINT = 10


class ProtocolError(Exception):
    """The bytes are not a message of the protocol."""


@dataclass(frozen=True)
class WorkRequest:
    """One compilation.

    arguments: the command line.
    inputs: the files that it may read.
    sandbox_dir: the folder that all paths are relative to.
    """

    arguments: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    request_id: int = 0
    sandbox_dir: str = ""


@dataclass(frozen=True)
class WorkResponse:
    """The exit code and the messages of one compilation."""

    exit_code: int
    output: str
    request_id: int = 0


def read_request(stream: BinaryIO) -> WorkRequest | None:
    """Return the next request, or None if Bazel has closed the pipe."""
    length = _read_length(stream)
    if length is None:
        return None
    data = stream.read(length)
    if len(data) != length:
        raise ProtocolError(f"a request of {length} bytes ends after {len(data)}")
    return decode_request(data)


def write_response(stream: BinaryIO, response: WorkResponse) -> None:
    """Write `response` and flush."""
    message = encode_response(response)
    stream.write(encode_varint(len(message)) + message)
    stream.flush()


def decode_request(data: bytes) -> WorkRequest:
    """Decode a WorkRequest. Other fields are skipped."""
    arguments: list[str] = []
    inputs: list[str] = []
    request_id, sandbox_dir = 0, ""
    for number, value in _iterate_fields(data):
        if number == 1 and isinstance(value, bytes):
            arguments.append(value.decode())
        elif number == 2 and isinstance(value, bytes):
            inputs.append(_input_path(value))
        elif number == 3 and isinstance(value, int):
            request_id = value
        elif number == 6 and isinstance(value, bytes):
            sandbox_dir = value.decode()
    return WorkRequest(tuple(arguments), tuple(inputs), request_id, sandbox_dir)


def _input_path(data: bytes) -> str:
    paths = [
        value.decode()
        for number, value in _iterate_fields(data)
        if number == 1 and isinstance(value, bytes)
    ]
    if len(paths) != 1:
        raise ProtocolError(f"an input has {len(paths)} paths")
    return paths[0]


def encode_response(response: WorkResponse) -> bytes:
    """Encode a WorkResponse. As in protobuf, zero and empty fields are omitted."""
    output = response.output.encode(errors="replace")
    message = b""
    if response.exit_code:
        message += b"\x08" + encode_varint(response.exit_code)
    if output:
        message += b"\x12" + encode_varint(len(output)) + output
    if response.request_id:
        message += b"\x18" + encode_varint(response.request_id)
    return message


def encode_varint(value: int) -> bytes:
    """Encode 7 bits per byte, lowest first. The top bit is set if more bytes follow."""
    value &= 0xFFFF_FFFF_FFFF_FFFF
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*encoded, value])


def _read_length(stream: BinaryIO) -> int | None:
    data = b""
    while len(data) < _LONGEST_VARINT:
        byte = stream.read(1)
        if not byte and data:
            raise ProtocolError("the stream ends within a length")
        if not byte:
            return None
        data += byte
        if byte[0] < 0x80:
            break
    return _read_varint(data, 0)[0]


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    """Return the varint at position `at`, and its end."""
    value = 0
    for index, byte in enumerate(data[at : at + _LONGEST_VARINT]):
        value |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            return value, at + index + 1
    raise ProtocolError(f"invalid varint at byte {at}")


def _iterate_fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    at = 0
    while at < len(data):
        key, at = _read_varint(data, at)
        number, wire_type = key >> 3, key & 7
        if wire_type == _VARINT:
            value, at = _read_varint(data, at)
            yield number, value
        else:
            length, at = _read_field_length(data, at, wire_type)
            if length > len(data) - at:
                raise ProtocolError(f"field {number} is longer than its message")
            yield number, data[at : at + length]
            at += length


def _read_field_length(data: bytes, at: int, wire_type: int) -> tuple[int, int]:
    if wire_type == _BYTES:
        return _read_varint(data, at)
    if wire_type in (_FIXED64, _FIXED32):
        return (8 if wire_type == _FIXED64 else 4), at
    raise ProtocolError(f"unknown wire type {wire_type}")
