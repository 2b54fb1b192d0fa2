"""Tests of files with recorded calls."""

import pytest
import torch

from exir.cli.reporting.calls import Call, QuantizedOutput, read_calls, write_calls
from exir.error import InvalidProgramError
from exir.weights.tensor_bytes import in_dim_order

_VALUES = (None, -3, True, 2.5, "grün", QuantizedOutput(3, 2.5, 1.0, 0.25, -7, 0.5))


def test_every_kind_of_recorded_value_round_trips() -> None:
    (call,) = read_calls(write_calls([Call("forward", _VALUES, (), 0x10)]))
    assert call == Call("forward", _VALUES, (), 0x10)
    assert [type(value) for value in call.inputs] == [type(value) for value in _VALUES]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bool, torch.int64, torch.bfloat16, torch.uint8])
@pytest.mark.parametrize("shape", [(), (0, 3), (2, 3, 4)])
def test_recorded_tensors_round_trip(dtype: torch.dtype, shape: tuple[int, ...]) -> None:
    tensor = (torch.rand(shape) * 3).to(dtype)
    (call,) = read_calls(write_calls([Call("f", (tensor,), (tensor,))]))
    for read in (*call.inputs, *call.outputs):
        assert read.dtype == dtype and torch.equal(read, tensor)


def test_recorded_elements_follow_the_dim_order() -> None:
    tensor = in_dim_order(torch.arange(24.0).reshape(1, 2, 3, 4), (0, 2, 3, 1))
    data = write_calls([Call("f", (tensor,), ())])
    assert bytes([0, 2, 3, 1]) + (96).to_bytes(8, "little") in data
    elements = torch.frombuffer(bytearray(data[-100:-4]), dtype=torch.float32)
    assert elements[:4].tolist() == [0.0, 12.0, 1.0, 13.0]
    assert torch.equal(read_calls(data)[0].inputs[0], tensor)


def test_record_format_matches_its_documentation() -> None:
    data = write_calls([Call("f", (7,), (True,), 0)])
    assert data.hex(" ") == (
        "45 54 43 4c 01 00 00 00 01 00 00 00 01 00 00 00 66 00 00 00 00 "
        "01 00 00 00 02 07 00 00 00 00 00 00 00 01 00 00 00 03 01"
    )


def test_truncated_record_is_refused() -> None:
    data = write_calls([Call("f", (torch.ones(2), *_VALUES), (torch.ones(1),))])
    for length in range(len(data)):
        with pytest.raises(InvalidProgramError):
            read_calls(data[:length])


def test_record_with_excess_tensor_bytes_is_refused() -> None:
    data = write_calls([Call("f", (torch.ones(2),), ())])
    sizes = data.index((2).to_bytes(4, "little") + b"\0" + (8).to_bytes(8, "little"))
    damaged = data[:sizes] + (1).to_bytes(4, "little") + data[sizes + 4 :]
    with pytest.raises(
        InvalidProgramError, match="8 bytes do not match a torch.float32 tensor of sizes"
    ):
        read_calls(damaged)


def test_record_with_trailing_bytes_is_refused() -> None:
    with pytest.raises(InvalidProgramError, match="trailing data after"):
        read_calls(write_calls([]) + b"\0")
