"""Loops: carried values, rows, captured weights, nesting, state and views."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch._higher_order_ops import map as map_rows
from torch._higher_order_ops import scan, while_loop

from exir.model.spec import MethodSpec, ModelSpec


class Loops(nn.Module):
    """Methods whose programs have backward jumps."""

    def __init__(self) -> None:
        super().__init__()
        self.inner, self.outer = nn.Linear(3, 3), nn.Linear(3, 3)
        self.register_buffer("last", torch.ones(3))

    def grow(self, x: Tensor) -> tuple[Any, ...]:
        """Doubles float32 [3] until it is large, and computes sqrt(2) by Newton's method."""
        steps, grown = while_loop(
            lambda i, a: a.abs().sum() < 100, lambda i, a: (i + 1, a * 2 + torch.tensor([0.0, 0, 1])), (0, x)
        )
        root = while_loop(lambda a: (a * a - 2).abs().max() > 1e-4, lambda a: ((a + 2 / a) / 2,), (grown.abs() + 1,))
        return steps, grown, root[0]

    def recur(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Runs a recurrent cell with persistent state over rows, float32 [n, 3]."""

        def step(hidden: Tensor, row: Tensor) -> tuple[Tensor, Tensor]:
            hidden = torch.tanh(self.inner(row) + self.outer(hidden))
            return hidden, hidden * row

        last, results = scan(step, self.last, rows)
        self.last.copy_(last)
        return results, self.last + 0

    def nest(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Runs a branch in a map in a loop; `x` is float32 [4, 3]."""

        def choose(row: Tensor, other: Tensor) -> Tensor:
            return torch.cond(row.sum() > 0, lambda a, b: a * b, lambda a, b: a - b, (row, other))

        def body(i: Tensor, a: Tensor) -> tuple[Tensor, Tensor]:
            rows = map_rows(lambda row, other: torch.sin(choose(row, other)), a, a[0].clone())
            return i + 1, self.inner(rows)

        count, result = while_loop(lambda i, a: i < 3, body, (torch.tensor(0), x))
        return count, result

    def turn(self, x: Tensor) -> tuple[Any, ...]:
        """Runs branches and loops over transposed values; `x` is float32 [2, 3, 3]."""
        turned = (x * 2).transpose(1, 2)
        chosen = torch.cond(x.sum() > 0, lambda a: a.sin() + 1, lambda a: a * 0.5, (turned,))
        grown = while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * 2 + turned), (0, x * 1))
        _, doubled = while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * 2), (0, turned))
        rows = map_rows(lambda row: row.sin() + 1, (x * 2).transpose(0, 2))
        return chosen, doubled, *grown, rows, *scan(lambda total, row: (total + row, total * row), turned[0], turned)

    def hand_on(self, x: Tensor) -> tuple[Tensor, ...]:
        """Passes views to control flow, and maps rows and computes a norm in branches."""
        view = (x * 2).view(-1)
        one = torch.cond(x.sum() > 0, lambda a: a.sin(), lambda a: a * 2, ((x * 2).unsqueeze(0),))
        rows = map_rows(lambda row: row * view[:3], x)
        many = torch.cond(x.sum() > 0, lambda a: map_rows(lambda row: row * 2, a), lambda a: a + 1, (x,))
        _, power = while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x), (0, x))
        norm = torch.cond(x.sum() > 0, lambda a: nn.functional.layer_norm(a, (3,)), lambda a: a * 2, (x,))
        return one, rows, many, power, norm


def model() -> ModelSpec:
    """Entry point."""
    rows = torch.export.Dim("rows", min=2, max=9)
    return ModelSpec(
        Loops(),
        methods={
            "grow": MethodSpec((torch.tensor([0.5, -1.0, 2.0]),)),
            "recur": MethodSpec((torch.randn(4, 3),), dynamic_shapes={"rows": {0: rows}}),
            "nest": MethodSpec((torch.randn(4, 3),)),
            "hand_on": MethodSpec((torch.randn(4, 3),)),
            "turn": MethodSpec((torch.randn(2, 3, 3),)),
        },
    )
