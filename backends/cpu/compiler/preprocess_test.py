"""Tests of the backend's options, named data and memory requirements."""

import pytest
import torch
from torch import nn
from torch.export import export

from backends.cpu.compiler.options import Options
from backends.cpu.compiler.preprocess import CpuBackend
from backends.cpu.compiler.testing.compare import Function, delegated
from exir import to_edge
from exir.backend.backend_details import RuntimeMemory
from exir.backend.compile_spec_schema import CompileSpec
from exir.error import ConfigError, UnsupportedOperatorError


def _linear_relu() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Flatten(0))


def test_weights_are_named_data_on_cache_lines() -> None:
    program = delegated(_linear_relu(), [torch.randn(2, 4)])
    output = CpuBackend.preprocess(program, Options().specs()).data_store_output
    assert output is not None
    assert [entry.alignment for entry in output.pte_data.values()] == [64, 64]
    assert [len(each) for each in output.buffers] == [4 * 16 * 4, 16 * 4]


def test_runtime_memory_consists_of_tables_and_planned_scratch() -> None:
    program = delegated(_linear_relu(), [torch.randn(2, 4)])
    payload = CpuBackend.preprocess(program, []).processed_bytes
    handle = "ET_CPU_HANDLE_BYTES(2u, 5u, 5u, 1u, 4u, 0u, 3u)"
    assert CpuBackend.runtime_memory(payload, []) == RuntimeMemory(handle, "0u", "backends/cpu/runtime/handle.h")


def test_unsupported_operator_of_a_whole_program_is_named() -> None:
    program = to_edge(export(Function(torch.special.i0e), (torch.rand(3),))).exported_program()
    with pytest.raises(UnsupportedOperatorError, match="the cpu backend does not support .*special_i0e"):
        CpuBackend.preprocess(program, [])


def test_each_op_has_the_debug_handles_of_its_nodes() -> None:
    program = delegated(_linear_relu(), [torch.randn(2, 4)])
    calls = [node for node in program.graph.nodes if node.op == "call_function"]
    for handle, node in enumerate(calls):
        node.meta["debug_handle"] = handle
    assert CpuBackend.preprocess(program, []).debug_handle_map == {0: (0, 1)}


def test_specs_round_trip_options() -> None:
    options = Options(winograd="never", row_tiling="always", threads=2, weights="float16", strassen="always")
    assert Options.read(options.specs()) == options
    assert Options.read([]) == Options()


@pytest.mark.parametrize(
    "specs, message",
    [
        ([CompileSpec("winograd", b"maybe")], "'winograd' must be one of auto, never, always, got 'maybe'"),
        ([CompileSpec("weights", b"half")], "'weights' must be one of auto, float32, float16, bfloat16, got 'half'"),
        ([CompileSpec("strassen", b"maybe")], "'strassen' must be one of auto, never, always, got 'maybe'"),
        ([CompileSpec("threads", b"0")], "'threads' must be from 1 to 64, got 0"),
        ([CompileSpec("strip", b"1")], "unknown compile spec 'strip'"),
    ],
)
def test_invalid_options_are_rejected(specs: list[CompileSpec], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Options.read(specs)
