"""Tests that quantization parameters are widened and keep their values."""

import torch
import torch.ao.quantization.fx._decomposed
from torch import Tensor, nn

from exir import to_edge
from exir.passes.wide_parameters import WideParameters
from exir.testing.graphs import assert_same, run, run_module
from exir.testing.models import Example

_OPS = torch.ops.quantized_decomposed
_LIMITS = -128, 127, torch.int8


class Rows(nn.Module):
    """Quantizes rows, and dequantizes channels."""

    def forward(self, x: Tensor, scales: Tensor, points: Tensor) -> Tensor:
        codes = _OPS.quantize_per_token(x, scales, points, *_LIMITS)
        flat = scales.reshape(-1), points.reshape(-1)
        return _OPS.dequantize_per_channel(codes, *flat, 0, *_LIMITS)


def parameters(scale: torch.dtype, point: torch.dtype) -> list[tuple[torch.dtype, int]]:
    """Return the dtypes of the parameters, and the number of calls."""
    inputs = (
        torch.randn(3, 8),
        torch.tensor([[0.5], [0.25], [0.125]]).to(scale),
        torch.tensor([[1], [0], [-4]]).to(point),
    )
    example = Example(Rows().eval(), inputs)
    program = WideParameters().run(to_edge(example.export()).exported_program())
    assert_same(run(program, inputs), run_module(example.module, inputs))
    calls = [node for node in program.graph.nodes if node.op == "call_function"]
    found = [node for node in calls if "quantized_decomposed" in str(node.target)]
    return [(node.args[place].meta["val"].dtype, len(calls)) for node in found for place in (1, 2)]


def test_narrow_parameters_are_widened() -> None:
    assert parameters(torch.float32, torch.int32) == [(torch.float64, 8), (torch.int64, 8)] * 2


def test_wide_parameters_are_unchanged() -> None:
    assert parameters(torch.float64, torch.int64) == [(torch.float64, 4), (torch.int64, 4)] * 2
