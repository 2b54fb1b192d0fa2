"""Tests that quantized programs are lowered to out overloads."""

import subprocess
import sys
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from exir.program import to_edge
from exir.testing import quantized
from exir.testing.quantized import Recipe

RECIPES = [Recipe(), Recipe(torch.uint8), Recipe(per_channel=False)]
BEFORE = """
import torch.ao.quantization.fx._decomposed
import torch
functional = torch.ops.quantized_decomposed.dequantize_per_channel.default
from exir.dialects.out_variant import out_variant_of
print(out_variant_of(functional).op.name())
"""


@pytest.mark.parametrize("recipe", RECIPES, ids=str)
@pytest.mark.parametrize("make", [quantized.mlp, quantized.cnn])
def test_quantized_program_matches_the_quantized_network(
    make: Callable[[], tuple[nn.Sequential, Tensor]], recipe: Recipe
) -> None:
    network, x = make()
    network = quantized.quantized(network, x, recipe)
    program = to_edge(torch.export.export(network, (x,))).to_executorch().exported_program()
    called = {
        str(node.target) for node in program.graph.nodes if "quantized_decomposed" in str(node.target)
    }
    assert called >= {
        f"quantized_decomposed.{name}_per_tensor.out" for name in ("quantize", "dequantize")
    }
    assert all(name.endswith(".out") for name in called)
    with torch.no_grad():
        torch.testing.assert_close(program.module()(x), network(x))


def test_previously_used_operators_have_out_overloads() -> None:
    result = subprocess.run([sys.executable, "-c", BEFORE], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "quantized_decomposed::dequantize_per_channel.out"
