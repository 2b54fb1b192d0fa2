"""Layers in control flow, whose bodies capture, carry, slice and share weights."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch._higher_order_ops import map as map_rows
from torch._higher_order_ops import scan, while_loop
from torch.nn import functional as F

from exir.model.spec import MethodSpec, ModelSpec

_WIDTH = 16


class LayersInLoops(nn.Module):
    """Methods that spend their time in the bodies of loops and branches."""

    def __init__(self) -> None:
        super().__init__()
        self.inner, self.outer = nn.Linear(_WIDTH, _WIDTH), nn.Linear(_WIDTH, _WIDTH, bias=False)
        self.steps = nn.Parameter(torch.randn(3, _WIDTH, _WIDTH) / 4)
        self.filter, self.filter_norm = nn.Conv2d(2, 4, 3), nn.BatchNorm2d(4)
        self.norm = nn.LayerNorm(_WIDTH)
        self.register_buffer("hidden", torch.zeros(1, _WIDTH))

    def refine(self, x: Tensor) -> Tensor:
        """Applies layers to float32 [n, 16] inside and outside a loop with a capture."""
        given = self.inner(x)

        def body(i: Tensor, a: Tensor) -> tuple[Tensor, Tensor]:
            return i + 1, self.norm(F.gelu(self.inner(a)) + given)

        return while_loop(lambda i, a: i < 4, body, (torch.tensor(0), x))[1] + self.outer(x)

    def recur(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Runs a recurrent cell with persistent state over rows, float32 [n, 1, 16]."""

        def step(hidden: Tensor, row: Tensor) -> tuple[Tensor, Tensor]:
            hidden = torch.tanh(self.inner(row) + self.outer(hidden))
            return hidden, self.outer(hidden)

        last, results = scan(step, self.hidden.clone(), rows)
        self.hidden.copy_(last)
        return results, last * 1

    def apply_each(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Scans over weights, and carries a weight in a loop; `x` is float32 [2, 16]."""
        last, each = scan(lambda a, w: (torch.tanh(F.linear(a, w)), a @ w), x.clone(), self.steps)

        def body(i: Tensor, w: Tensor, a: Tensor) -> tuple[Tensor, Tensor, Tensor]:
            return i + 1, torch.tanh(w @ self.inner.weight.t()), F.linear(a, w) + self.outer(a)

        return each, while_loop(lambda i, w, a: i < 3, body, (torch.tensor(0), self.steps[0].clone(), last))[2]

    def choose(self, x: Tensor) -> Tensor:
        """Runs a branch in a map in a loop; `x` is float32 [3, 16]."""

        def layer(row: Tensor) -> Tensor:
            return torch.cond(row[0] > 0, lambda a: self.inner(a).relu(), lambda a: self.outer(a) * 2, (row,))

        def body(i: Tensor, a: Tensor) -> tuple[Tensor, Tensor]:
            return i + 1, self.norm(map_rows(layer, a))

        return while_loop(lambda i, a: i < 3, body, (torch.tensor(0), x))[1]

    def filter_all(self, images: Tensor) -> Any:
        """Maps a convolution with its norm over images, float32 [3, 1, 2, 8, 8]."""
        return map_rows(lambda image: self.filter_norm(self.filter(image)).relu(), images)


def model() -> ModelSpec:
    """Entry point."""
    rows, count = torch.export.Dim("rows", min=2, max=9), torch.export.Dim("count", min=2, max=9)
    return ModelSpec(
        LayersInLoops(),
        methods={
            "refine": MethodSpec((torch.randn(4, _WIDTH),), dynamic_shapes={"x": {0: count}}),
            "recur": MethodSpec((torch.randn(4, 1, _WIDTH),), dynamic_shapes={"rows": {0: rows}}),
            "apply_each": MethodSpec((torch.randn(2, _WIDTH),)),
            "choose": MethodSpec((torch.randn(3, _WIDTH),)),
            "filter_all": MethodSpec((torch.randn(3, 1, 2, 8, 8),)),
        },
    )
