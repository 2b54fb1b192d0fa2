"""A network as steps, each an expression of values before it: its source text, and the module that the text makes."""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor, nn

_HEAD = """\
import torch
import torch.nn.functional as F
from torch import nn
from torch._higher_order_ops import map as map_rows
from torch._higher_order_ops import scan, while_loop

from tests.random_networks import blocks
"""


@dataclass(frozen=True)
class Step:
    """How a value is made: `{0}` and `{1}` in `call` stand for operands, `{m}` for what the expression `module` makes."""

    call: str
    module: str = ""


@dataclass(frozen=True)
class Placed:
    """A step with the numbers of the values that it takes; 0 is the network's input, 1 what the first step makes."""

    step: Step
    operands: tuple[int, ...]


@dataclass(frozen=True)
class Network:
    """seed: of weights and inputs. outputs: numbers of values. dynamic: the dimension of the input whose size is open."""

    seed: int
    shape: tuple[int, ...]
    channels_last: bool = False
    dynamic: int | None = None
    recipe: str = ""
    steps: tuple[Placed, ...] = ()
    outputs: tuple[int, ...] = field(default=(0,))

    def source(self) -> str:
        """The text of the network's class."""
        made = [
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
                *(["    def __init__(self):", "        super().__init__()", *made, ""] if made else []),
                "    def forward(self, v0):",
                *lines,
                f"        return {results}",
                "",
            ]
        )

    def _numbered(self) -> Iterator[tuple[int, Placed]]:
        return enumerate(self.steps, start=1)

    def inputs(self) -> tuple[Tensor, ...]:
        """Those that it is exported with."""
        x = torch.randn(self.shape, generator=torch.Generator().manual_seed(self.seed))
        return (x.to(memory_format=torch.channels_last) if self.channels_last else x,)

    def module(self) -> nn.Module:
        """Made anew from the text, in eval mode; what messages show of it are its lines."""
        names: dict[str, Any] = {}
        source, file = self.source(), f"<network {self.seed}>"
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        with torch.random.fork_rng():
            torch.manual_seed(self.seed)
            exec(compile(source, file, "exec"), names)
            made = names["Network"]().eval()
            _randomise_statistics(made)
        return made

    def without(self, number: int) -> Network:
        """The same without the step that makes a value: its first operand takes the value's place."""
        instead = self.steps[number - 1].operands[0]

        def renumbered(value: int) -> int:
            return instead if value == number else value - (value > number)

        steps = tuple(
            replace(placed, operands=tuple(renumbered(each) for each in placed.operands))
            for other, placed in self._numbered()
            if other != number
        )
        return replace(self, steps=steps, outputs=tuple(dict.fromkeys(renumbered(each) for each in self.outputs)))


def _call(number: int, placed: Placed) -> str:
    return placed.step.call.format(*(f"v{each}" for each in placed.operands), m=f"self.m{number}")


def _randomise_statistics(module: nn.Module) -> None:
    """Batch norms that are not trained would be nothing."""
    for name, buffer in module.named_buffers():
        if name.endswith("running_mean"):
            nn.init.normal_(buffer, 0, 0.3)
        elif name.endswith("running_var"):
            nn.init.uniform_(buffer, 0.5, 2.0)


def namespace() -> dict[str, Any]:
    """What expressions of steps see."""
    names: dict[str, Any] = {}
    exec(_HEAD, names)
    return names
