"""Compares a quantized network with the float network.

A low signal-to-quantization-noise ratio (SQNR) is a fault of the quantizer, unless the network
amplifies noise. In that case, the float program also has a low SQNR if noise as wide as a
quantization step is added.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.export import ExportedProgram
from torch.fx import Interpreter, Node
from torch.utils._pytree import tree_leaves

from exir.cli.reporting.calls import Call, QuantizedOutput
from exir.quantize.families import Family, family_of
from exir.quantize.recipes import RECIPES, Activations, Recipe

# Both are in dB. A low SQNR is explained if it is at most the margin below that of the float
# program with noise. Several runs are needed because the noise of an output of one element varies.
_LEAST, _MARGIN = 10, 6
_NOISY_RUNS = 12
_ACTIVATION_BITS = 8


def check_sqnr(program: ExportedProgram, recipe: str, calls: Sequence[Call]) -> None:
    """Raise `ValueError` if the quantized network has an unexplained low SQNR.

    program: the exported float program.
    calls: all calls of the quantized network, in order.
    """
    calls = [call for call in calls if call.outputs]
    found = [[_sqnr_of(output) for output in call.outputs] for call in calls]
    if min((sqnr for row in found for sqnr in row), default=math.inf) >= _LEAST:
        return
    runs = [_noisy_sqnr(program, RECIPES[recipe], calls, seed) for seed in range(_NOISY_RUNS)]
    for number, row in enumerate(found):
        for index, sqnr in enumerate(row):
            explained = min(run[number][index] for run in runs)
            if sqnr < min(_LEAST, explained - _MARGIN):
                reason = f"SQNR is {sqnr:.1f} dB; noise as large as the recipe's steps yields {explained:.1f} dB"
                raise ValueError(f"call {number}, output {index}: {reason}")


def sqnr_of(expected: Tensor, found: Tensor) -> float:
    """Return the SQNR of the finite elements in dB.

    It is infinite if the signal or the noise is zero.
    """
    finite = expected.isfinite() & found.isfinite()
    signal = expected.detach()[finite].double()
    noise = signal - found.detach()[finite]
    powers = float(signal.square().sum()), float(noise.square().sum())
    return 10 * math.log10(powers[0] / powers[1]) if all(powers) else math.inf


def _sqnr_of(output: Any) -> float:
    has_both = isinstance(output, QuantizedOutput) and output.real is not None
    return sqnr_of(output.real, output.value) if has_both else math.inf


def _noisy_sqnr(program: ExportedProgram, recipe: Recipe, calls: Sequence[Call], seed: int) -> list[list[float]]:
    """Return the SQNR of each output of each call.

    If noise violates an assertion of the network, the SQNR is -infinity.
    """
    run, found = _NoisyRun(program.module(check_guards=False), recipe, seed), []
    for call in calls:
        inputs = (tensor.clone() if isinstance(tensor, Tensor) else tensor for tensor in call.inputs)
        try:
            with torch.no_grad():
                outputs = tree_leaves(run.run(*inputs))
        except Exception:
            return [[-math.inf] * len(recorded.outputs) for recorded in calls]
        pairs = zip(call.outputs, outputs, strict=True)
        found.append([math.inf if a.real is None else sqnr_of(a.real, b) for a, b in pairs])
    return found


class _NoisyRun(Interpreter):
    """Runs a float program with uniform noise in weights and activations.

    Activations that the recipe keeps in float have no noise.
    """

    def __init__(self, module: torch.fx.GraphModule, recipe: Recipe, seed: int) -> None:
        super().__init__(module)
        self._recipe = recipe
        self._generator = torch.Generator().manual_seed(seed)

    def run_node(self, n: Node) -> Any:
        value = super().run_node(n)
        if not isinstance(value, Tensor) or not value.is_floating_point() or value.numel() == 0:
            return value
        if n.op == "get_attr":
            is_weight = isinstance(value, nn.Parameter) and value.dim() > 1
            return self._noisy(value, _step_of_rows(value, self._recipe.weight_bits)) if is_weight else value
        if self._recipe.activations is Activations.FLOAT:
            return value
        family = family_of(n)
        if family is Family.PASSING:
            operand = self.env[n.args[0]]
            is_view = operand.untyped_storage().data_ptr() == value.untyped_storage().data_ptr()
            return value if is_view else self._noisy(value, _step(operand))
        return self._noisy(value, _step(value)) if n.op == "placeholder" or family is not None else value

    def _noisy(self, value: Tensor, step: Tensor) -> Tensor:
        draw = torch.rand(value.shape, generator=self._generator) - 0.5
        return (value + draw * step).to(value.dtype)


def _step(value: Tensor) -> Tensor:
    """Return the quantization step of an activation; its range includes 0."""
    finite = value[value.isfinite()]
    ends = torch.cat([finite, finite.new_zeros(1)]).aminmax()
    return (ends.max - ends.min) / (2**_ACTIVATION_BITS - 1)


def _step_of_rows(weight: Tensor, bits: int) -> Tensor:
    """Return the quantization step of each output channel of a weight."""
    largest = weight.detach().abs().flatten(1).amax(1) if weight.numel() else weight.new_zeros(weight.shape[0])
    return (largest / (2 ** (bits - 1) - 1)).reshape(-1, *[1] * (weight.dim() - 1))
