"""What the mapping demo's compiler writes, what it says of its steps, and what it refuses."""

from struct import unpack
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.export import ExportedProgram, export

from backends.mapping_demo.mapping_demo import MAGIC, BackendWithDelegateMappingDemo
from exir import to_edge
from exir.backend.backend_details import PreprocessResult, RuntimeMemory
from exir.error import UnsupportedOperatorError


class _Tangent(nn.Module):
    def __init__(self, **options: Any) -> None:
        super().__init__()
        self.conv = nn.Conv2d(2, 4, 3, **options)

    def forward(self, x: Tensor) -> Tensor:
        return torch.tan(torch.relu(self.conv(x)))


def _edge(module: nn.Module, *inputs: Tensor) -> ExportedProgram:
    return to_edge(export(module.eval(), inputs)).exported_program()


def _preprocess(module: nn.Module, *inputs: Tensor) -> PreprocessResult:
    return BackendWithDelegateMappingDemo.preprocess(_edge(module, *inputs), [])


def test_nodes_and_ops_map_many_to_many() -> None:
    program = _edge(_Tangent(), torch.randn(1, 2, 8, 8))
    calls = [node for node in program.graph.nodes if node.op == "call_function"]
    convolution, relu, tan = (node.meta["debug_handle"] for node in calls)
    found = BackendWithDelegateMappingDemo.preprocess(program, []).debug_handle_map
    assert found == {0: (convolution, relu), 1: (tan,), 2: (tan,), 3: (tan,)}


def test_mapping_payload_has_ops_and_weights() -> None:
    module = _Tangent(stride=2, padding=1)
    parameters = torch.cat([parameter.flatten() for parameter in module.conv.parameters()])
    payload = _preprocess(module, torch.randn(1, 2, 8, 8)).processed_bytes
    words = unpack("<67I", payload[: 67 * 4])
    assert words[:3] == (MAGIC, 4, 128)
    assert words[3:19] == (0, 0, 0, 64, 1, 2, 8, 8, 4, 4, 4, 3, 3, 2, 1, 0)
    assert [words[at : at + 4] for at in (19, 35, 51)] == [(1, 1, 0, 64), (2, 1, 0, 64), (3, 2, 3, 64)]
    weights = torch.frombuffer(bytearray(payload[67 * 4 :]), dtype=torch.float32)
    assert torch.equal(weights, parameters)


def test_missing_convolution_bias_becomes_zeros() -> None:
    payload = _preprocess(_Tangent(bias=False), torch.randn(1, 2, 8, 8)).processed_bytes
    assert payload[-16:] == bytes(16)


def test_measured_memory_excludes_the_last_result() -> None:
    payload = _preprocess(_Tangent(), torch.randn(1, 2, 8, 8)).processed_bytes
    memory = BackendWithDelegateMappingDemo.runtime_memory(payload, [])
    results = 3 * 4 * 4 * 6 * 6
    assert memory == RuntimeMemory(f"MAPPING_DEMO_HANDLE_BYTES(4u, {results}u)", "", "backends/mapping_demo/handle.h")


class _Bare(nn.Module):
    """A convolution that no relu follows."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(2, 4, 3)

    def forward(self, x: Tensor) -> Tensor:
        return torch.tan(self.conv(x))


class _Sine(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return torch.sin(x)


@pytest.mark.parametrize(
    "module, named",
    [
        (_Sine(), "sin"),
        (_Bare(), "convolution"),
        (_Tangent(dilation=2), "convolution"),
        (_Tangent(groups=2), "convolution"),
        (_Tangent(stride=(1, 2)), "convolution"),
        (nn.ReLU(), "relu"),
    ],
)
def test_unsupported_operator_is_named(module: nn.Module, named: str) -> None:
    with pytest.raises(UnsupportedOperatorError, match=f"BackendWithDelegateMappingDemo cannot run aten.{named}"):
        _preprocess(module, torch.randn(1, 2, 8, 8))


def test_input_of_an_unsupported_dtype_is_refused() -> None:
    with pytest.raises(UnsupportedOperatorError, match="takes one float32 tensor"):
        _preprocess(_Tangent().double(), torch.randn(1, 2, 8, 8).double())


def test_output_without_a_producing_op_is_refused() -> None:
    with pytest.raises(UnsupportedOperatorError, match="whose last gives its one output"):
        _preprocess(nn.Identity(), torch.randn(3))
