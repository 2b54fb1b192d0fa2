"""Modules that keep state in buffers and parameters between calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

LARGEST_POSITION = 6
"""The largest position that `WrittenAt` accepts."""


class Stateful(nn.Module):
    """Runs `step(state, x)`, whose first argument holds the buffers as attributes."""

    def __init__(self, step: Callable[..., Any], **buffers: Tensor) -> None:
        super().__init__()
        self.step = step
        for name, value in buffers.items():
            self.register_buffer(name, value.clone())

    def forward(self, *inputs: Tensor) -> Any:
        return self.step(self, *inputs)


class Recurrent(nn.Module):
    """A recurrent layer that keeps its hidden state.

    `squeezed` drops the batch dimension.
    """

    h: Tensor
    c: Tensor

    def __init__(
        self,
        kind: Callable[..., nn.RNNBase],
        layers: int,
        bidirectional: bool,
        squeezed: bool,
        width: int = 4,
        hidden: int = 5,
        batch: int = 1,
    ) -> None:
        super().__init__()
        self.layer = kind(width, hidden, num_layers=layers, bidirectional=bidirectional, batch_first=True)
        shape = (layers * (1 + bidirectional), batch, hidden)
        self.squeezed = squeezed
        self.register_buffer("h", torch.zeros(shape[::2] if squeezed else shape))
        self.register_buffer("c", torch.rand(shape))

    def forward(self, x: Tensor) -> Tensor:
        h = self.h.unsqueeze(1) if self.squeezed else self.h
        if isinstance(self.layer, nn.LSTM):
            y, (h, c) = self.layer(x, (h, self.c))
            self.c.copy_(c)
        else:
            y, h = self.layer(x, h)
        self.h = h.squeeze(1) if self.squeezed else h
        return y


class Written(nn.Module):
    """A linear layer whose parameters are updated under `no_grad`."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        y = self.layer(x)
        with torch.no_grad():
            self.layer.weight.view(-1)[2:9].sub_(0.1 * x.sum())
            self.layer.bias.copy_(y.mean(0))
        return y


class Cell(nn.Module):
    """A recurrent cell over rows that keeps the mean hidden state.


    view: how the buffer stores the mean.
    """

    h: Tensor
    c: Tensor

    def __init__(self, kind: Callable[..., nn.RNNCellBase], width: int, hidden: int, view: str) -> None:
        super().__init__()
        self.cell = kind(width, hidden)
        self.view = view
        shape = {"row": (1, hidden), "flat": (hidden,), "column": (hidden, 1)}[view]
        self.register_buffer("h", torch.zeros(shape))
        self.register_buffer("c", torch.rand(1, hidden))

    def forward(self, x: Tensor) -> Tensor:
        row = {"row": self.h, "flat": self.h.unsqueeze(0), "column": self.h.t()}[self.view]
        h = row.expand(x.shape[0], -1)
        if isinstance(self.cell, nn.LSTMCell):
            h, c = self.cell(x, (h, self.c.expand(x.shape[0], -1)))
            self.c.copy_(c.mean(0, keepdim=True))
        else:
            h = self.cell(x, h)
        new = h.mean(0)
        if self.view == "row":
            self.h.squeeze(0).copy_(new)
        elif self.view == "flat":
            self.h = new
        else:
            self.h.select(1, 0).copy_(new)
        return h


class Average(nn.Module):
    """Subtracts the running mean of all rows; a zero-dimensional buffer counts calls.

    bounded: use a decaying mean.
    """

    count: Tensor
    mean: Tensor

    def __init__(self, width: int, bounded: bool) -> None:
        super().__init__()
        self.bounded = bounded
        self.register_buffer("count", torch.tensor(0))
        self.register_buffer("mean", torch.zeros(width))

    def forward(self, x: Tensor) -> Tensor:
        self.count.add_(1)
        share = 1 / (self.count.clamp(max=3) if self.bounded else self.count)
        self.mean.add_((x.mean(0) - self.mean) * share)
        return x - self.mean


class Delay(nn.Module):
    """A causal convolution over time that keeps the last frames for the next call."""

    frames: Tensor

    def __init__(self, width: int, frames: int, batch: int) -> None:
        super().__init__()
        self.conv = nn.Conv1d(width, width, frames + 1)
        self.register_buffer("frames", torch.zeros(batch, width, frames))

    def forward(self, x: Tensor) -> Tensor:
        joined = torch.cat([self.frames, x.transpose(1, 2)], -1)
        self.frames.copy_(joined[..., -self.frames.shape[-1] :])
        return self.conv(joined).transpose(1, 2)


class Cache(nn.Module):
    """Attention to a ring buffer of rows; a zero-dimensional buffer is the position.

    write: how a row is stored.
    """

    rows: Tensor
    position: Tensor

    def __init__(self, width: int, rows: int, write: str) -> None:
        super().__init__()
        self.write = write
        self.register_buffer("rows", torch.zeros(rows, width))
        self.register_buffer("position", torch.zeros((), dtype=torch.int64))

    def forward(self, x: Tensor) -> Tensor:
        row, at = x.mean(0, keepdim=True), self.position.view(1)
        if self.write == "index_put":
            self.rows[at] = row
        elif self.write == "scatter":
            self.rows.scatter_(0, at.unsqueeze(1).expand(1, x.shape[1]), row)
        elif self.write == "index_copy":
            self.rows.index_copy_(0, at, row)
        else:
            self.rows.copy_(torch.cat([self.rows[1:], row]))
        self.position.copy_((self.position + 1) % self.rows.shape[0])
        return x + torch.softmax(x @ self.rows.t(), -1) @ self.rows


class Toggle(nn.Module):
    """A zero-dimensional boolean state that toggles, and a float state that is scaled."""

    on: Tensor
    scale: Tensor

    def __init__(self, width: int) -> None:
        super().__init__()
        self.register_buffer("on", torch.tensor(False))
        self.register_buffer("scale", torch.tensor(1.5))
        self.bias = nn.Parameter(torch.rand(width))

    def forward(self, x: Tensor) -> Tensor:
        self.on.logical_not_()
        self.scale.mul_(torch.where(self.on, 0.5, 1.25))
        return torch.where(self.on, x * self.scale, self.bias - x)


class EmptyState(nn.Module):
    """Empty buffers that are concatenated, written, and summed with a nonempty one."""

    nothing: Tensor
    total: Tensor

    def __init__(self, width: int) -> None:
        super().__init__()
        self.register_buffer("nothing", torch.zeros(0, width))
        self.register_buffer("total", torch.zeros(()))

    def forward(self, x: Tensor) -> Tensor:
        self.nothing.copy_(x[:0])
        self.total.add_(self.nothing.sum() + 1)
        return torch.cat([self.nothing, x * self.total])


class Branch(nn.Module):
    """Selects a branch by the call count in a zero-dimensional buffer."""

    count: Tensor

    def __init__(self, width: int) -> None:
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.register_buffer("count", torch.tensor(0, dtype=torch.int32))

    def forward(self, x: Tensor) -> Tensor:
        self.count.add_(1)
        return torch.cond(self.count % 2 > 0, lambda v: torch.sin(v) + 1, lambda v: v * 0.5, (self.linear(x),))


class WrittenAt(nn.Module):
    """A cache that is written at an integer position.

    read: all rows, those up to the position, or that row.
    """

    rows: Tensor

    def __init__(self, width: int, write: str, read: str) -> None:
        super().__init__()
        self.write, self.read = write, read
        self.register_buffer("rows", torch.zeros(LARGEST_POSITION + 2, width))

    def forward(self, x: Tensor, n: int) -> Tensor:
        row = x.mean(0, keepdim=True)
        if self.write == "narrow":
            self.rows.narrow(0, n, 1).copy_(row)
        elif self.write == "select":
            self.rows[n].copy_(row.squeeze(0))
        elif self.write == "slice":
            self.rows[n : n + 1] = row
        elif self.write == "index_copy":
            self.rows.index_copy_(0, torch.arange(n, n + 1), row)
        elif self.write == "index_put":
            self.rows[torch.tensor([n])] = row
        else:
            self.rows.scatter_(0, torch.full((1, x.shape[1]), n), row)
        if self.read == "upto":
            return x + self.rows[: n + 1].sum(0)
        return x + (self.rows[n] if self.read == "one" else self.rows.mean(0))
