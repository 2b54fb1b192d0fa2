"""Constructs that are rewritten while a model is exported keep their meaning."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from exir.model_spec import ModelSpec


class _Ring(nn.Module):
    def __init__(self, write: Callable[[Tensor, Tensor, Tensor], Any]) -> None:
        super().__init__()
        self.write = write
        self.register_buffer("ring", torch.zeros(2, 4, 3))
        self.register_buffer("position", torch.tensor(1))

    def forward(self, x: Tensor) -> Tensor:
        self.write(self.ring, self.position, x)
        self.position.add_(1)
        return self.ring * 1


def _write(ring: Tensor, index: Any, x: Any) -> None:
    ring[index] = x


WRITES: dict[str, tuple[Callable[[Tensor, Tensor, Tensor], Any], tuple[int, ...]]] = {
    "first dimension": (lambda ring, at, x: _write(ring, at - 1, x), (4, 3)),
    "first dimension, broadcast": (lambda ring, at, x: _write(ring, at - 1, x), (3,)),
    "second dimension": (lambda ring, at, x: _write(ring, (slice(None), at), x), (2, 3)),
    "second dimension, one for all": (lambda ring, at, x: _write(ring, (slice(None), at), x), (3,)),
    "last dimension": (lambda ring, at, x: _write(ring, (..., at), x), (2, 4)),
    "behind an integer": (lambda ring, at, x: _write(ring, (1, at), x), (3,)),
    "two positions": (lambda ring, at, x: _write(ring, (at - 1, at), x), (3,)),
    "all positions": (lambda ring, at, x: _write(ring, (at - 1, at, at), x), ()),
    "before a slice": (lambda ring, at, x: _write(ring, (at - 1, slice(1, 3)), x), (2, 3)),
    "a number": (lambda ring, at, x: _write(ring, (slice(None), at), 2.5), (1,)),
    "data": (lambda ring, at, x: ring.data.copy_(x), (2, 4, 3)),
    "data that is added to": (lambda ring, at, x: ring.data.add_(x), (3,)),
    "data that is assigned": (lambda ring, at, x: setattr(ring, "data", ring + x), (3,)),
    "assertion": (lambda ring, at, x: torch._assert((x > -100).all(), "range"), (3,)),
}


@pytest.mark.parametrize("name", WRITES)
def test_exported_state_follows_eager_state(name: str) -> None:
    write, shape = WRITES[name]
    torch.manual_seed(0)
    program = ModelSpec(_Ring(write), (torch.rand(shape),)).resolved_methods()["forward"].export()
    exported, eager = program.module(), _Ring(write)
    for _ in range(2):
        x = torch.rand(shape)
        torch.testing.assert_close(exported(x), eager(x))
