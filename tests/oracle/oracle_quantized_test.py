"""Tests that quantized networks match on both runtimes and in eager PyTorch.

Eager PyTorch can differ by one quantization step of the output.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import executorch.runtime

import executorch.kernels.quantized  # noqa: F401  (after the runtime, whose operators it adds to)  # isort: skip
import pytest
import torch
from torch import Tensor, nn

from exir.capture import EdgeCompileConfig
from exir.cli.reporting.calls import Call, write_calls
from exir.program import ExecutorchProgramManager, to_edge
from exir.quantize import RECIPES, QuantizationOptions, Quantized, quantize_program, quantize_weights
from tests.oracle.official import OfficialProgram

_CLOSE = 1e-5


class Residual(nn.Module):
    """Convolutions with folded batch norms, add, cat, pooling and a head."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU6())
        self.block = nn.Sequential(nn.Conv2d(8, 8, 3, padding=1, groups=8), nn.ReLU(), nn.Conv2d(8, 8, 1))
        self.head = nn.Linear(16, 5)

    def forward(self, x: Tensor) -> Tensor:
        x = self.stem(x)
        x = nn.functional.max_pool2d(x + self.block(x), 2)
        return self.head(torch.cat((x, x.sigmoid()), 1).mean((2, 3)))


class Last(nn.Module):
    """A linear layer on all outputs of a recurrent layer."""

    def __init__(self, kind: type[nn.Module]) -> None:
        super().__init__()
        self.layer, self.head = kind(6, 8, batch_first=True), nn.Linear(8, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.layer(x)[0])


class Perceptron(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(12, 24), nn.Hardswish(), nn.Linear(24, 6))

    def forward(self, x: Tensor) -> Tensor:
        return self.layers(x)


_NETWORKS: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...]]] = {
    "residual": (Residual, (1, 3, 8, 8)),
    "perceptron": (Perceptron, (3, 12)),
    "lstm": (lambda: Last(nn.LSTM), (2, 5, 6)),
    "gru": (lambda: Last(nn.GRU), (2, 5, 6)),
}


def _quantized(name: str, recipe: str) -> tuple[Quantized, Tensor]:
    torch.manual_seed(0)
    make, shape = _NETWORKS[name]
    x = torch.randn(shape)
    program = torch.export.export(make().eval(), (x,))
    calls = [(x,), *((torch.randn(shape),) for _ in range(7))]
    return quantize_program(program, QuantizationOptions(recipe), calls), x


def _check_quantized(manager: ExecutorchProgramManager, x: Tensor, expected: Tensor, atol: float, folder: Path) -> None:
    """Assert that both runtimes return the expected result."""
    (official,) = OfficialProgram(manager.buffer).run("forward", x)
    torch.testing.assert_close(official, expected, rtol=0, atol=atol)
    Path(folder, "program.pte").write_bytes(manager.buffer)
    Path(folder, "calls").write_bytes(write_calls([Call("forward", (x,), (official,))]))
    files = [str(folder / name) for name in ("program.pte", "calls")]
    run = [os.environ["RUN_CALLS"], *files, f"--atol={_CLOSE}", "--rtol=0"]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("recipe", ["int8_static", "int8_static_per_tensor"])
@pytest.mark.parametrize("name", _NETWORKS)
def test_both_runtimes_match_the_quantized_model(name: str, recipe: str, tmp_path: Path) -> None:
    quantized, x = _quantized(name, recipe)
    assert any(decision.reason == "" for decision in quantized.decisions)
    with torch.no_grad():
        eager = quantized.program.module()(x)
    step = float((eager.max() - eager.min()) / 255)
    _check_quantized(to_edge(quantized.program).to_executorch(), x, eager, 1.5 * step, tmp_path)


class Words(nn.Module):
    """A normalized embedding and two linear layers."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.norm = nn.Embedding(40, 64), nn.LayerNorm(64)
        self.layers = nn.Sequential(nn.Linear(64, 256), nn.GELU(), nn.Linear(256, 128, bias=False))

    def forward(self, tokens: Tensor) -> Tensor:
        return self.layers(self.norm(self.words(tokens)))


@pytest.mark.parametrize("recipe", [name for name, options in RECIPES.items() if not options.needs_calibration])
def test_unfused_low_bit_layers_run_on_both_runtimes(recipe: str, tmp_path: Path) -> None:
    torch.manual_seed(0)
    network, tokens = Words().eval(), torch.tensor([[3, 1, 39], [0, 2, 2]])
    floats = sum(parameter.nbytes for parameter in network.parameters())
    assert not quantize_weights(network, QuantizationOptions(recipe))
    program = torch.export.export(network, (tokens,))
    manager = to_edge(program, compile_config=EdgeCompileConfig(fuse_low_bit_linear=False)).to_executorch()
    assert len(manager.buffer) < floats * (0.4 if "int8" in recipe else 0.3)
    with torch.no_grad():
        eager = network(tokens)
    _check_quantized(manager, tokens, eager, 1e-4, tmp_path)
