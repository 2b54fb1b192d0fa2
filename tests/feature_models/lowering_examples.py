"""The examples of the CPU backend's lowering rules, as one model."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from backends.cpu.compiler.lower.rule import Example
from backends.cpu.compiler.lower.table import RULES
from exir.model.spec import ModelSpec


class LoweringExamples(nn.Module):
    """Computes the results of all examples from their inputs, in order."""

    def __init__(self, examples: list[Example], counts: list[int]) -> None:
        super().__init__()
        self.functions = [example.function for example in examples]
        self.counts = counts

    def forward(self, *inputs: Tensor) -> tuple[Any, ...]:
        results, remaining = [], list(inputs)
        for function, count in zip(self.functions, self.counts, strict=True):
            results.append(function(*remaining[:count]))
            remaining = remaining[count:]
        return tuple(results)


def model() -> ModelSpec:
    """Entry point."""
    torch.manual_seed(0)
    examples = [example for rule in RULES.values() for example in rule.examples]
    inputs = [example.inputs() for example in examples]
    flat = tuple(tensor for some in inputs for tensor in some)
    return ModelSpec(LoweringExamples(examples, list(map(len, inputs))), flat)
