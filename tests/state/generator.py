"""Random models that read and write buffers through chains of views."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from tests.state.models import Case

_View = Callable[[Tensor], Tensor]
_SHAPES = ((), (3,), (0, 2), (1, 4), (2, 2), (4, 3), (1, 2, 3), (2, 1, 2), (2, 3, 2))
_WRITES = ("copy", "add", "scale", "rows", "index_put", "index_add", "scatter", "mask", "rebind")


def _random_view(draws: random.Random, tensor: Tensor) -> _View:
    """Return a random view operator that `tensor` allows."""
    rank = tensor.dim()
    place = draws.randint(0, rank)
    views: list[_View] = [lambda t: t.unsqueeze(place), lambda t: t.squeeze()]
    if tensor.is_contiguous():
        views += [lambda t: t.view(-1), lambda t: t.view(1, t.numel()), lambda t: t.flatten()]
    if rank >= 2:
        dims = draws.sample(range(rank), 2)
        order = draws.sample(range(rank), rank)
        views += [lambda t: t.transpose(*dims), lambda t: t.permute(order), lambda t: t.diagonal()]
    long = [dim for dim in range(rank) if tensor.size(dim) > 1]
    if long:
        dim = draws.choice(long)
        start = draws.randrange(tensor.size(dim))
        length = draws.randint(1, tensor.size(dim) - start)
        views += [
            lambda t: t.narrow(dim, start, length),
            lambda t: t.select(dim, start),
            lambda t: t.unbind(dim)[start],
            lambda t: t.split([start + 1, t.size(dim) - start - 1], dim)[0],
            lambda t: t.transpose(0, dim)[::2].transpose(0, dim),
        ]
    return draws.choice(views)


def _random_chain(draws: random.Random, tensor: Tensor) -> list[_View]:
    chain = []
    for _ in range(draws.randint(0, 3)):
        chain.append(_random_view(draws, tensor))
        tensor = chain[-1](tensor)
    return chain


def _through(tensor: Tensor, chain: list[_View]) -> Tensor:
    for view in chain:
        tensor = view(tensor)
    return tensor


def _fitted(values: Tensor, shape: torch.Size) -> Tensor:
    """Repeat `values` to fill `shape`."""
    flat = values.reshape(-1)
    if flat.numel() == 0:
        return values.new_full(shape, 0.5)
    return flat.repeat(-(-shape.numel() // flat.numel()))[: shape.numel()].reshape(shape)


def _write(kind: str, view: Tensor, values: Tensor) -> None:
    values = _fitted(values, view.shape)
    if kind == "add":
        view.add_(values)
    elif kind == "scale":
        view.mul_(0.5)
    elif kind == "mask":
        view.masked_fill_(values > 0, 1.5)
    elif kind == "copy" or view.dim() == 0 or view.shape[0] == 0:
        view.copy_(values)
    elif kind == "rows":
        view[:1] = values[:1]
    elif kind == "index_put":
        view[torch.tensor([view.shape[0] - 1])] = values[:1]
    elif kind == "index_add":
        view.index_add_(0, torch.tensor([0]), values[:1])
    else:
        view.scatter_(0, torch.zeros_like(values[:1], dtype=torch.int64), values[:1])


class RandomState(nn.Module):
    """Reads and writes one to three buffers in random order.

    The result is a state, a view of a state, or neither.
    """

    def __init__(self, seed: int) -> None:
        super().__init__()
        draws = random.Random(seed)
        self.names = [f"b{index}" for index in range(draws.randint(1, 3))]
        for name in self.names:
            shape = draws.choice(_SHAPES)
            self.register_buffer(name, torch.zeros(shape) if draws.random() < 0.6 else torch.rand(shape))
        self.steps = [self._random_step(draws) for _ in range(draws.randint(2, 5))]
        _, self.result, self.result_chain = self._random_step(draws)
        self.returns = draws.choice(("sum", "state", "view", "neither"))

    def _random_step(self, draws: random.Random) -> tuple[str, str, list[_View]]:
        name = draws.choice(self.names)
        return draws.choice(("read", *_WRITES)), name, _random_chain(draws, self.get_buffer(name))

    def forward(self, x: Tensor) -> Any:
        total = x * 1.0
        for kind, name, chain in self.steps:
            state = getattr(self, name)
            if kind == "read":
                total = torch.sin(total) + _fitted(torch.tanh(_through(state, chain)), x.shape)
            elif kind == "rebind":
                setattr(self, name, (state.unsqueeze(0) * 0.5 + _fitted(total, state.shape)).squeeze(0))
            else:
                _write(kind, _through(state, chain), torch.sin(total))
        state = getattr(self, self.result)
        results = {"sum": total, "state": state, "view": _through(state, self.result_chain), "neither": x + 1}
        return results[self.returns]


def random_case(seed: int) -> Case:
    """Return the model of `seed`, with the inputs of four calls."""
    generator = torch.Generator().manual_seed(seed)
    return Case(lambda: RandomState(seed), [(torch.randn(2, 3, generator=generator),) for _ in range(4)])
