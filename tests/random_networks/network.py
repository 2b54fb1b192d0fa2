"""A network as steps, each of which is an expression of previous values."""

from __future__ import annotations

import linecache
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import nn

_HEAD = """\
import math

import torch
import torch.nn.functional as F
from torch import nn
from torch._higher_order_ops import map as map_rows
from torch._higher_order_ops import scan, while_loop

from tests.random_networks.layers import images, integers, sequences, sharing
from tests.state import layers as state
from tests.state.generator import RandomState
"""


@dataclass(frozen=True)
class Step:
    """A step of a network.

    In `call`, `{0}` and `{1}` are operands, and `{m}` is the result of the expression `module`. `v0` and `n` are the
    network's inputs.
    """

    call: str
    module: str = ""


Shape = tuple[int, ...]
Maker = Callable[[random.Random, Shape], Step | None]
Family = list[tuple[float, Maker]]
"""Step makers of one kind, with their probability weights."""


def one_of(calls: Sequence[str], ranks: Sequence[int] = (0, 1, 2, 3, 4, 5)) -> Maker:
    """Draw one of `calls` for operands of these ranks."""
    return lambda rng, shape: Step(rng.choice(calls)) if len(shape) in ranks else None


def layer(expression: str) -> Step:
    """Return a step that calls the module that `expression` creates."""
    return Step("{m}({0})", expression)


def divisor(rng: random.Random, size: int) -> int:
    """Draw a number of groups for `size` channels."""
    return rng.choice([groups for groups in (1, 2, 4, size) if groups and size % groups == 0])


@dataclass(frozen=True)
class Placed:
    """A step with its operand indices.

    Index 0 is the network's input, 1 the first computed value.
    """

    step: Step
    operands: tuple[int, ...]


@dataclass(frozen=True)
class Varying:
    """A size or an integer that differs between calls: the example, and its range."""

    example: int
    low: int
    high: int

    def __str__(self) -> str:
        return f"{self.example} in {self.low}..{self.high}"

    def fixed(self) -> Varying:
        """Return the range that contains only the example."""
        return Varying(self.example, self.example, self.example)


@dataclass(frozen=True)
class Network:
    """A network; each step is a line of `forward`.


    seed: the seed for weights and inputs.
    dynamic: the ranges of dimensions of the input.
    number: the range of the integer input `n`, or None if there is none.
    outputs: indices of values.
    """

    seed: int
    shape: tuple[int, ...]
    dtype: str = "float32"
    channels_last: bool = False
    dynamic: tuple[tuple[int, Varying], ...] = ()
    number: Varying | None = None
    recipe: str = ""
    steps: tuple[Placed, ...] = ()
    outputs: tuple[int, ...] = field(default=(0,))

    def source(self) -> str:
        """Return the source text of the network's class."""
        created = [
            f"        self.m{number} = {placed.step.module}"
            for number, placed in self._numbered()
            if placed.step.module
        ]
        lines = [f"        v{number} = {_call(number, placed)}" for number, placed in self._numbered()]
        results = ", ".join(f"v{number}" for number in self.outputs)
        return "\n".join(
            [
                _HEAD,
                "",
                "class Network(nn.Module):",
                *(["    def __init__(self):", "        super().__init__()", *created, ""] if created else []),
                f"    def forward(self, v0{', n: int' if self.number else ''}):",
                *lines,
                f"        return {results}",
                "",
            ]
        )

    def _numbered(self) -> Iterator[tuple[int, Placed]]:
        return enumerate(self.steps, start=1)

    def inputs(self) -> tuple[Any, ...]:
        """Return the inputs for the export."""
        return self._inputs(self.shape, self.number.example if self.number else None, self.seed)

    def inputs_at_ends(self) -> list[tuple[Any, ...]]:
        """Return inputs at ends and midpoints of the ranges.

        All ranges vary together, then each range varies alone, between its ends.
        """
        varying = [*(size for _, size in self.dynamic), *([self.number] if self.number else [])]
        examples = [varying_size.example for varying_size in varying]
        ends = [
            *([varying_size.low for varying_size in varying], [varying_size.high for varying_size in varying]),
            *([(varying_size.low + varying_size.high) // 2 for varying_size in varying], examples),
            *([*examples[:i], end, *examples[i + 1 :]] for i, v in enumerate(varying) for end in (v.low, v.high)),
        ]
        found = []
        for index, values in enumerate(ends if varying else []):
            shape = list(self.shape)
            for (dimension, _), size in zip(self.dynamic, values, strict=False):
                shape[dimension] = size
            found.append(self._inputs(tuple(shape), values[-1] if self.number else None, self.seed + 100 + index))
        return found

    def _inputs(self, shape: tuple[int, ...], number: int | None, seed: int) -> tuple[Any, ...]:
        generator, dtype = torch.Generator().manual_seed(seed), getattr(torch, self.dtype)
        if dtype.is_floating_point:
            x = torch.randn(shape, generator=generator)
        else:
            x = torch.randint(0, 2 if dtype == torch.bool else 10, shape, generator=generator).to(dtype)
        x = x.to(memory_format=torch.channels_last) if self.channels_last else x
        return (x,) if number is None else (x, number)

    def module(self) -> nn.Module:
        """Create the module from the source text, in eval mode.

        Error messages show lines of that text.
        """
        names: dict[str, Any] = {}
        source, file = self.source(), f"<network {self.seed}>"
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        with torch.random.fork_rng():
            torch.manual_seed(self.seed)
            exec(compile(source, file, "exec"), names)
            network = names["Network"]().eval()
            _randomize_statistics(network)
        return network

    def without(self, number: int) -> Network:
        """Return the network without a step; the step's first operand replaces its value."""
        instead = self.steps[number - 1].operands[0]

        def renumbered(value: int) -> int:
            return instead if value == number else value - (value > number)

        steps = tuple(
            replace(placed, operands=tuple(renumbered(operand) for operand in placed.operands))
            for other, placed in self._numbered()
            if other != number
        )
        return replace(self, steps=steps, outputs=tuple(dict.fromkeys(renumbered(output) for output in self.outputs)))


def _call(number: int, placed: Placed) -> str:
    return placed.step.call.format(*(f"v{operand}" for operand in placed.operands), m=f"self.m{number}")


def _randomize_statistics(module: nn.Module) -> None:
    """Randomize the statistics of batch norms, which are the identity initially."""
    for name, buffer in module.named_buffers():
        if name.endswith("running_mean"):
            nn.init.normal_(buffer, 0, 0.3)
        elif name.endswith("running_var"):
            nn.init.uniform_(buffer, 0.5, 2.0)


def namespace() -> dict[str, Any]:
    """Return the names that expressions of steps can use."""
    names: dict[str, Any] = {}
    exec(_HEAD, names)
    return names
