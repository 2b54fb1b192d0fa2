"""Tests that programs and calls survive a round trip through a bundle."""

import random
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from exir.bundled.program import (
    BundledProgram,
    MethodTestCase,
    MethodTestSuite,
    bundled_calls,
    deserialize_from_flatbuffer_to_bundled_program,
    serialize_from_bundled_program_to_flatbuffer,
)
from exir.error import ConfigError, InvalidProgramError
from exir.program import ExecutorchProgramManager, to_edge


class Scaled(nn.Module):
    """Multiplies a channels-last tensor by a scalar."""

    def forward(self, x: Tensor, factor: int) -> Tensor:
        return x.relu() * factor


X = torch.randn(2, 3, 4, 4).to(memory_format=torch.channels_last)


def program() -> ExecutorchProgramManager:
    return to_edge(torch.export.export(Scaled(), (X, 3))).to_executorch()


def bundle(*cases: MethodTestCase) -> bytes:
    bundled = BundledProgram(program(), [MethodTestSuite("forward", cases)])
    return serialize_from_bundled_program_to_flatbuffer(bundled)


def test_bundled_program_round_trips() -> None:
    data = bundle(MethodTestCase((X, 3), X.relu() * 3), MethodTestCase([X + 1, 3]))
    bundled = deserialize_from_flatbuffer_to_bundled_program(data)
    assert bytes(bundled.program) == program().buffer
    assert data.index(program().buffer) % 32 == 0
    (method, first), (_, second) = bundled_calls(bundled)
    assert method == "forward" and second.expected_outputs == []
    assert first.inputs[0].dim_order() == X.dim_order() and first.inputs[1] == 3
    assert torch.equal(first.inputs[0], X) and torch.equal(first.expected_outputs[0], X.relu() * 3)


def test_file_is_bundled_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "scaled.pte"
    path.write_bytes(program().buffer)
    bundled = BundledProgram(None, [], str(path))
    assert bytes(bundled.serialize_to_schema().program) == path.read_bytes()


@pytest.mark.parametrize(
    "suite, message",
    [
        (MethodTestSuite("backward"), "unknown method 'backward'; the program has: forward"),
        (
            MethodTestSuite("forward", [MethodTestCase((X,))]),
            "call 0 of 'forward': inputs: expected 2, got 1",
        ),
        (
            MethodTestSuite("forward", [MethodTestCase((X.double(), 3))]),
            "input 0 is a tensor of DOUBLE, .* FLOAT",
        ),
        (
            MethodTestSuite("forward", [MethodTestCase((X, 3.0))]),
            "input 1 is of type Double, but the method's is of type Int",
        ),
        (
            MethodTestSuite("forward", [MethodTestCase((X, 3), (X, X))]),
            "outputs: expected 1, got 2",
        ),
    ],
)
def test_mismatched_calls_are_refused(suite: MethodTestSuite, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        BundledProgram(program(), [suite])


def test_bundle_contains_one_program() -> None:
    for both in ((None, None), (program(), "scaled.pte")):
        with pytest.raises(ConfigError, match="pass 'executorch_program' or 'pte_file_path'"):
            BundledProgram(both[0], [], both[1])
    with pytest.raises(ConfigError, match="a bundled call has a value of type str"):
        MethodTestCase(("words",))


def test_damaged_bundles_are_detected() -> None:
    data = bundle(MethodTestCase((X, 3), X))
    with pytest.raises(InvalidProgramError, match="not a bundled program"):
        deserialize_from_flatbuffer_to_bundled_program(program().buffer)
    refused, generator = 0, random.Random(0)
    for _ in range(300):
        damaged = bytearray(data)
        damaged[generator.randrange(len(data))] ^= 1 << generator.randrange(8)
        try:
            bundled_calls(deserialize_from_flatbuffer_to_bundled_program(bytes(damaged)))
        except InvalidProgramError:
            refused += 1
    assert 0 < refused < 300
    for length in range(0, len(data), 97):
        with pytest.raises(InvalidProgramError):
            deserialize_from_flatbuffer_to_bundled_program(data[:length])
