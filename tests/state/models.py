"""Models with state in buffers and parameters, accessed through views."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.export import Dim

from tests.state import layers
from tests.state.layers import Recurrent, Stateful, Written


@dataclass(frozen=True)
class Case:
    """A model and the inputs of its calls; the first call is the export example."""

    make: Callable[[], nn.Module]
    calls: list[tuple[Any, ...]]
    dynamic_shapes: Any = None


def _squeezed(state: Any, x: Tensor) -> Tensor:
    h = torch.tanh(state.h.squeeze(0) + x)
    state.h.copy_(h.unsqueeze(0))
    return h


def _slice_of_flat(state: Any, x: Tensor) -> Tensor:
    state.h.view(-1)[1:3] = x[:2]
    return state.h * 1


def _only_written(state: Any, x: Tensor) -> Tensor:
    state.h.view(-1).copy_(x)
    return x * 2


def _written_and_not_returned(state: Any, x: Tensor) -> Tensor:
    y = state.h.flatten() * 2 + x
    state.h.copy_(x.view(state.h.shape))
    return y


def _view_of_view(state: Any, x: Tensor) -> Tensor:
    view = state.h.view(4).unsqueeze(0).view(2, 2, 1).squeeze(-1).t()
    view.add_(x.view(2, 2))
    return state.h.flatten() + view.flatten()


def _strided(state: Any, x: Tensor) -> Tensor:
    state.h[::2, 1::2] = x.view(2, 2)
    state.h.t()[0].add_(1.0)
    state.h.diagonal().mul_(0.5)
    return state.h @ state.h.t()


def _scatter(state: Any, x: Tensor) -> Tensor:
    index = torch.tensor([1, 3])
    state.h.view(-1).scatter_(0, index, x[:2])
    state.h.view(1, 8).scatter_add_(1, index[None] + 2, x[None, :2])
    state.h.view(4, 2).index_put_((index,), x.view(2, 2), accumulate=True)
    return state.h.view(4, 2)[index]


def _scatter_and_no_result(state: Any, x: Tensor) -> Tensor:
    y = state.h.view(-1)[torch.tensor([1, 3])] * 2
    state.h.view(-1).scatter_(0, torch.tensor([1, 3]), x[:2])
    return y


def _masked(state: Any, x: Tensor) -> Tensor:
    view = state.h.view(4)
    view.masked_fill_(x > 0, 1.0)
    view.mul_(0.5)
    return state.h * 1


def _ring(state: Any, x: Tensor) -> Tensor:
    state.h.view(-1).index_put_((torch.arange(4) + state.n * 4,), x)
    state.n.copy_((state.n + 1) % 3)
    return state.h.view(4, 3).sum(1)


def _shift(state: Any, x: Tensor) -> Tensor:
    state.h = torch.cat([state.h[1:], x[None]])
    return state.h.t() @ state.h


def _swap(state: Any, x: Tensor) -> Tensor:
    old = state.h.clone()
    state.h.copy_(state.g.unsqueeze(0))
    state.g.copy_(old.squeeze(0) + x)
    return state.h - state.g


def _buffer_to_buffer(state: Any, x: Tensor) -> Tensor:
    state.k.copy_(state.g.unsqueeze(0))
    state.g.copy_(state.h.view(4))
    state.h.copy_(x.view(2, 2))
    return state.k + 0


def _returned_view(state: Any, x: Tensor) -> Tensor:
    state.h.add_(x.view(2, 2))
    return state.h.view(-1)


def _old_view(state: Any, x: Tensor) -> Tensor:
    old = state.h.view(-1).clone()
    state.h.copy_(x.view(2, 2))
    return old


def _expanded(state: Any, x: Tensor) -> Tensor:
    y = state.h.expand(3, 4) + x
    state.h.copy_(y[:1])
    return y


def _transposed(state: Any, x: Tensor) -> Tensor:
    state.h.copy_(state.h.t() + x.view(2, 2))
    return state.h.t().reshape(-1)


def _integers(state: Any, x: Tensor) -> tuple[Tensor, Tensor]:
    y = state.n.squeeze(0) + (x > 0)
    state.n.copy_(y.unsqueeze(0))
    state.any.logical_or_(y > 1)
    return y, state.any.view(1, 4)


def _branch(state: Any, x: Tensor) -> Tensor:
    view = state.h.view(-1)
    new = torch.cond(x.sum() > 0, lambda h, x: h + x, lambda h, x: h * 0.5 - x, (view, x))
    state.h.copy_(new.view(2, 2))
    return new


def _loop(state: Any, x: Tensor) -> Tensor:
    from torch._higher_order_ops.scan import scan

    def turn(carry: Tensor, row: Tensor) -> tuple[Tensor, Tensor]:
        carry = torch.tanh(carry + row)
        return carry, carry.clone()

    last, rows = scan(turn, state.h.squeeze(0), x.expand(3, 4).contiguous(), dim=0)
    state.h.copy_(last.unsqueeze(0))
    return rows


def _some_rows(state: Any, x: Tensor) -> Tensor:
    state.h[: x.shape[0]] = x
    return state.h.view(-1)[:7] * 1


def _mean(state: Any, x: Tensor) -> Tensor:
    mean = state.h.squeeze(0) * 0.9 + x.mean(0)
    state.h.copy_(mean.unsqueeze(0))
    return x - state.h


def _add_rows(state: Any, x: Tensor) -> Tensor:
    state.h.view(5, 2, 2).index_add_(0, torch.arange(x.shape[0]), x.view(-1, 2, 2))
    return state.h * 1


def _vectors() -> list[tuple[Any, ...]]:
    generator = torch.Generator().manual_seed(0)
    return [(torch.randn(4, generator=generator),) for _ in range(4)]


def _fixed(step: Callable[..., Any], **buffers: Tensor) -> Case:
    return Case(lambda: Stateful(step, **buffers), _vectors())


def _dynamic(step: Callable[..., Any], **buffers: Tensor) -> Case:
    calls = [(torch.rand(rows, 4),) for rows in (3, 1, 5, 2)]
    return Case(lambda: Stateful(step, **buffers), calls, (({0: Dim("rows", min=1, max=5)},),))


def _of_rows() -> dict[str, Callable[[], nn.Module]]:
    return {
        "gru_cell": partial(layers.Cell, nn.GRUCell, 4, 5, "flat"),
        "lstm_cell": partial(layers.Cell, nn.LSTMCell, 4, 5, "column"),
        "average": partial(layers.Average, 4, True),
        "cache_index_put": partial(layers.Cache, 4, 3, "index_put"),
        "cache_scatter": partial(layers.Cache, 4, 3, "scatter"),
        "cache_narrow": partial(layers.Cache, 4, 3, "narrow"),
        "toggle": partial(layers.Toggle, 4),
        "empty_state": partial(layers.EmptyState, 4),
        "branch_of_state": partial(layers.Branch, 4),
    }


_ROW, _SQUARE, _VECTOR = torch.zeros(1, 4), torch.zeros(2, 2), torch.rand(4)

CASES: dict[str, Case] = {
    "squeezed": _fixed(_squeezed, h=_ROW),
    "squeezed_not_zero": _fixed(_squeezed, h=torch.rand(1, 4)),
    "slice_of_flat": _fixed(_slice_of_flat, h=_SQUARE),
    "only_written": _fixed(_only_written, h=_SQUARE),
    "written_and_not_returned": _fixed(_written_and_not_returned, h=_SQUARE),
    "view_of_view": _fixed(_view_of_view, h=_SQUARE),
    "strided": _fixed(_strided, h=torch.zeros(4, 4)),
    "scatter": _fixed(_scatter, h=torch.zeros(2, 4)),
    "scatter_and_no_result": _fixed(_scatter_and_no_result, h=torch.zeros(2, 4)),
    "masked": _fixed(_masked, h=_SQUARE),
    "ring": _fixed(_ring, h=torch.zeros(3, 4), n=torch.tensor(0)),
    "shift": _fixed(_shift, h=torch.zeros(3, 4)),
    "swap": _fixed(_swap, h=_ROW, g=_VECTOR),
    "buffer_to_buffer": _fixed(_buffer_to_buffer, h=_SQUARE, g=torch.zeros(4), k=_ROW),
    "returned_view": _fixed(_returned_view, h=_SQUARE),
    "old_view": _fixed(_old_view, h=_SQUARE),
    "expanded": _fixed(_expanded, h=_ROW),
    "transposed": _fixed(_transposed, h=_SQUARE),
    "integers": _fixed(_integers, n=torch.zeros(1, 4, dtype=torch.int64), any=torch.zeros(4, dtype=torch.bool)),
    "branch": _fixed(_branch, h=_SQUARE),
    "loop": _fixed(_loop, h=_ROW),
    "some_rows": _dynamic(_some_rows, h=torch.zeros(5, 4)),
    "mean": _dynamic(_mean, h=_ROW),
    "add_rows": _dynamic(_add_rows, h=torch.zeros(5, 4)),
    "written_parameters": Case(Written, [(torch.rand(2, 4),) for _ in range(4)]),
    **{
        f"{kind.__name__}_{depth}_{bidirectional}_{squeezed}".lower(): Case(
            partial(Recurrent, kind, depth, bidirectional, squeezed),
            [(torch.rand(1, 3, 4),) for _ in range(3)],
        )
        for kind, depth, bidirectional, squeezed in [
            (nn.GRU, 1, False, False),
            (nn.GRU, 2, True, True),
            (nn.LSTM, 1, False, True),
            (nn.LSTM, 2, True, False),
            (nn.RNN, 1, False, True),
        ]
    },
    **{name: Case(make, [(torch.randn(3, 4),) for _ in range(5)]) for name, make in _of_rows().items()},
    "delay": Case(partial(layers.Delay, 4, 2, 1), [(torch.randn(1, 3, 4),) for _ in range(4)]),
    **{
        f"written_at_{write}_{read}": Case(
            partial(layers.WrittenAt, 4, write, read),
            [(torch.randn(3, 4), n) for n in (2, 0, 6, 3)],
            (None, Dim.DYNAMIC(min=0, max=6)),
        )
        for write, read in [("narrow", "all"), ("select", "upto"), ("slice", "one"), ("index_copy", "upto")]
    },
}
