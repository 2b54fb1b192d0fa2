"""What reaches the program besides the payload."""

import torch
from torch import nn

from backends.cpu.compiler.options import Options
from backends.cpu.compiler.preprocess import CpuBackend
from backends.cpu.compiler.testing.compare import delegated


def _linear_relu() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Flatten(0))


def test_weights_are_named_data_on_cache_lines() -> None:
    program = delegated(_linear_relu(), [torch.randn(2, 4)])
    output = CpuBackend.preprocess(program, Options().specs()).data_store_output
    assert output is not None
    assert [entry.alignment for entry in output.pte_data.values()] == [64, 64]
    assert [len(each) for each in output.buffers] == [4 * 16 * 4, 16 * 4]


def test_each_step_has_the_handles_of_what_it_computes() -> None:
    program = delegated(_linear_relu(), [torch.randn(2, 4)])
    calls = [node for node in program.graph.nodes if node.op == "call_function"]
    for handle, node in enumerate(calls):
        node.meta["debug_handle"] = handle
    assert CpuBackend.preprocess(program, []).debug_handle_map == {0: (0, 1)}
